import { type Caller, isReadable } from "../../domain/caller";
import { definitionsVersion } from "../../domain/definitions-version";
import { isoDate } from "../../domain/event";
import type { FilterItem } from "../../domain/filter-items";
import type { Goals } from "../../domain/goals/goals";
import type { Selection } from "../../domain/metric";
import { type Days, windowOf } from "../../domain/period";
import { storedDaysOf } from "../../domain/plan";
import { type StoredDays, shorterOf } from "../../domain/retention";
import type { DataSource } from "../../store/control/data-versions";
import type { Project } from "../../store/control/project-selector";
import type { DataFacts, DataFactsRequest } from "../../store/port";
import type { Deps } from "../deps";

/** The data that an answer may be made from. */
interface Source extends DataSource {
  /** The last change of recordings that it may tell of. */
  readonly recordings: number;
}

/** What a request read, which the headers of its answer tell, and the receipt if it wants one. */
export interface DataRead {
  readonly source: Source;
  /** The project that was asked about; null is the whole account. */
  readonly project: Project | null;
  /** The filters of a share; the answer says nothing about other events. */
  readonly narrowedBy: readonly FilterItem[];
  readonly days: Days | null;
  /** The question that the store was asked. */
  readonly question: Question;
  readonly facts: DataFacts;
}
/** The part of a store's question that a receipt tells. */
export interface Question {
  readonly filters?: readonly FilterItem[] | undefined;
  /** The metrics, groups and order, where a read leaves the choice. */
  readonly selection?: Selection;
  readonly days?: Days;
  /** The period that is compared with it. */
  readonly compare?: { readonly days: Days };
  /** The questions, if one read has several. */
  readonly questions?: readonly Question[];
}

/** Collects what a request reads while it is worked on. */
export class DataLog {
  last: DataRead | null = null;
  /** The last change of recordings that was seen, where the answer tells of them. */
  recordings: number | null = null;
  /** The goals of the project that the request is about. */
  goals: Goals | null = null;
  constructor(readonly wantsReceipt: boolean) {}
}

/** Returns the data that the answer to a request may be made from. */
export function sourceOf(
  { control, replays }: Pick<Deps, "control" | "replays">,
  caller: Caller,
  project: Project | null,
): Source {
  const accountId = caller.account.id;
  const all =
    project === null
      ? control.dataVersions.ofAccount(accountId)
      : control.dataVersions.ofProject(project.id);
  const isShown = (id: string): boolean => isReadable(caller, { id, accountId });
  const known =
    caller.standing?.projects == null
      ? all
      : { ...all, projectIds: all.projectIds.filter(isShown) };
  const recorded = project === null ? known.projectIds : [project.id];
  return { ...known, recordings: replays.lastChangeOf(recorded) };
}

/** Asks the store for what it is to tell beside its answer. */
export function factsRequest(
  { projectIds, policies }: DataSource,
  project: Project | null,
  days: Days | null,
  wantsReceipt: boolean,
): DataFactsRequest {
  if (!wantsReceipt || days === null) return { projectIds, policies };
  const dates = { from: isoDate(days.from), to: isoDate(days.to) };
  const seen = project === null ? projectIds : [project.id];
  return { projectIds, policies, window: { ...windowOf(days), ...dates, projectIds: seen } };
}

/** Returns nothing for a share with filters: the version grows with what these leave out. */
export const versionOf = ({
  source,
  narrowedBy,
  facts,
}: Pick<DataRead, "source" | "narrowedBy" | "facts">): number | undefined =>
  narrowedBy.length > 0 ? undefined : source.changes + source.recordings + facts.version;

/** Returns the headers of every answer of a read. */
export function dataHeaders(
  read: Pick<DataRead, "source" | "narrowedBy" | "facts">,
): Readonly<Record<string, string>> {
  const version = versionOf(read);
  return {
    "x-definitions": definitionsVersion,
    "x-data-through": String(read.facts.throughMs),
    ...(version !== undefined && { "x-data-version": String(version) }),
    ...flaggedHeader(read.facts.flagged),
  };
}

/** Returns the header with the number of different flagged texts in an answer. */
export const flaggedHeader = (flagged: readonly string[]): Readonly<Record<string, string>> =>
  flagged.length === 0 ? {} : { "x-flagged-values": String(flagged.length) };

/** Returns the facts of the event store for an answer that did not read it. */
export function factsNow(
  { store }: Pick<Deps, "store">,
  source: DataSource,
  sinceMs: number,
): DataFacts {
  return { version: store.versionOf(source.projectIds), throughMs: sinceMs, flagged: [] };
}

/** The days for which the events of a read are stored. */
export function storedDaysOfRead(
  { config, control }: Pick<Deps, "config" | "control">,
  { account: { tier } }: Caller,
  project: Project | null,
): StoredDays {
  const ofPlan = storedDaysOf(tier, config.retentionDays);
  return project === null ? ofPlan : shorterOf(ofPlan, control.retention.daysOf(project.id));
}
