import { definitionsVersion } from "../../domain/definitions-version";
import { isoDate } from "../../domain/event";
import type { FilterItem } from "../../domain/filter-items";
import type { Selection } from "../../domain/metric";
import { type Days, windowOf } from "../../domain/period";
import type { DataSource } from "../../store/control/data-versions";
import type { Project } from "../../store/control/project-selector";
import type { Told, ToldRequest } from "../../store/port";
import type { Deps } from "../deps";

/** Of which data an answer may be. */
interface Source extends DataSource {
  /** The last change of recordings that it may tell of. */
  readonly recordings: number;
}

/** What a request read, which the headers of its answer tell, and the receipt if it wants one. */
export interface DataRead {
  readonly source: Source;
  /** The project that was asked about; null is the whole account. */
  readonly project: Project | null;
  readonly days: Days | null;
  /** What the store was asked. */
  readonly question: Question;
  readonly told: Told;
}
/** Of what the store is asked, what a receipt tells. */
export interface Question {
  readonly filters?: readonly FilterItem[] | undefined;
  /** What is counted, by what and in which order, where a read leaves the choice. */
  readonly selection?: Selection;
  readonly days?: Days;
  /** The period beside it. */
  readonly compare?: { readonly days: Days };
  /** Several in one. */
  readonly questions?: readonly Question[];
}

/** Of a request, while it is worked on. */
export class DataLog {
  last: DataRead | null = null;
  /** The last change of recordings that was seen, where the answer tells of them. */
  recordings: number | null = null;
  constructor(readonly wantsReceipt: boolean) {}
}

/** Of which data the answer to a request may be. */
export function sourceOf(
  { control, replays }: Pick<Deps, "control" | "replays">,
  accountId: string,
  project: Project | null,
): Source {
  const known =
    project === null
      ? control.dataVersions.ofAccount(accountId)
      : control.dataVersions.ofProject(project.id);
  const recorded = project === null ? known.projectIds : [project.id];
  return { ...known, recordings: replays.lastChangeOf(recorded) };
}

/** What the store is to tell beside its answer. */
export function toldRequest(
  { projectIds, policies }: DataSource,
  project: Project | null,
  days: Days | null,
  wantsReceipt: boolean,
): ToldRequest {
  if (!wantsReceipt || days === null) return { projectIds, policies };
  const dates = { from: isoDate(days.from), to: isoDate(days.to) };
  const seen = project === null ? projectIds : [project.id];
  return { projectIds, policies, window: { ...windowOf(days), ...dates, projectIds: seen } };
}

export const versionOf = ({ source, told }: Pick<DataRead, "source" | "told">): number =>
  source.changes + source.recordings + told.version;

/** On every answer of a read. */
export const dataHeaders = (
  read: Pick<DataRead, "source" | "told">,
): Readonly<Record<string, string>> => ({
  "x-definitions": definitionsVersion,
  "x-data-through": String(read.told.throughMs),
  "x-data-version": String(versionOf(read)),
  ...flaggedHeader(read.told.flagged),
});

/** How many different flagged texts an answer has. */
export const flaggedHeader = (flagged: readonly string[]): Readonly<Record<string, string>> =>
  flagged.length === 0 ? {} : { "x-flagged-values": String(flagged.length) };

/** Where the event store was not asked: what it would have told. */
export function toldNow({ store }: Pick<Deps, "store">, source: DataSource, sinceMs: number): Told {
  return { version: store.versionOf(source.projectIds), throughMs: sinceMs, flagged: [] };
}
