import type { ChangeRequest } from "../../../domain/changes/change-counts";
import type {
  CountRequest,
  ExperimentRequest,
  FunnelRequest,
  PagesRequest,
  PathsRequest,
  SessionDimension,
} from "../../../domain/counting";
import type { Condition } from "../../../domain/filter";
import type { TimeBucket } from "../../../domain/overview";
import type { BucketUnit, Days } from "../../../domain/period";
import type { View } from "../../questions";
import type { Label } from "../aggregate/vector";
import { changesOfPart, type ValuesOfPart } from "../functions/change-parts";
import { eventCount, usersWithin } from "../functions/count-by";
import { type EventsOfGroups, eventsOfGroups, usersOfGroups } from "../functions/count-parts";
import type { Counted } from "../functions/counted";
import { type ExperimentPart, experimentPart } from "../functions/experiment-counts";
import {
  beginPart,
  type StepOfPart,
  type StepTold,
  type TooMany,
  takeInPart,
} from "../functions/funnel-parts";
import { type CountedPages, type PagesOfPart, pagesOfPart } from "../functions/page-parts";
import { entriesOfPart, type WaysOfPart, waysOfPart } from "../functions/path-parts";
import { type GroupsOfSessions, groupsOfSessions } from "../functions/session-groups";
import { type SessionSumsOfPart, sessionsOfGroups } from "../functions/session-parts";
import { countRows } from "../questions/count-by";
import type { OpenSnapshot } from "../questions/open-snapshot";
import { timeSeries } from "../questions/time-series";

type Words = Uint32Array<ArrayBuffer>;

/**
 * Questions about a part of a window, whose answers can be joined with those about the other parts: users are sets,
 * with a bit for each (sets/bitmap.ts). The thread of the read and one that helps it answer them alike.
 */
export interface Parts {
  /** Tells that the snapshot is of the read's data: it is kept until the read ends. */
  ready(): true;
  eventCount(view: View, conditions: readonly Condition[]): number;
  totals(view: View): { readonly users: Words; readonly events: number };
  timeSeries(view: View, days: Days, unit: BucketUnit | "hour"): TimeBucket[];
  /** Events for which the filters hold may come in later parts too, until the window of the read ends. */
  sessionGroups(view: View, by: SessionDimension, endMs: number): SessionsOfPart;
  /** Events for which the filters hold may come until `endMs` here too, and in the next ones. */
  pages(view: View, request: PagesRequest, endMs: number): readonly PagesOfPart[] | null;
  entryPages(view: View, endMs: number): CountedPages | null;
  ways(
    view: View,
    request: PathsRequest,
    endMs: number,
    entries: readonly string[],
  ): WaysOfPart | null;
  changes(view: View, request: ChangeRequest, endMs: number): readonly ValuesOfPart[] | null;
  /** Counts sessions by group in the window of a read that begins at `beginMs`. */
  sessionsOfGroups(view: View, request: CountRequest, beginMs: number): SessionSumsOfPart | null;
  /** Returns rows of groups that no two parts share. */
  rows(view: View, request: CountRequest): Counted;
  eventsOfGroups(view: View, request: CountRequest): EventsOfGroups | null;
  usersOfGroups(
    view: View,
    request: CountRequest,
    groups: readonly (readonly Label[])[],
  ): readonly Words[];
  experiment(view: View, request: ExperimentRequest): ExperimentPart;
  /**
   * Takes a step of a funnel, which begins with the first one; the others follow it in the same read. Null when it
   * cannot go on.
   */
  funnelStep(
    view: View,
    request: FunnelRequest,
    step: number,
    told: StepTold,
  ): StepOfPart | TooMany | null;
}
export interface SessionsOfPart {
  readonly groups: GroupsOfSessions["groups"];
  readonly users: Words;
}
export type PartName = keyof Parts;
export type PartInput<Name extends PartName> = Parameters<Parts[Name]>;
export type PartResult<Name extends PartName> = ReturnType<Parts[Name]>;

export function partsOf(snapshot: OpenSnapshot): Parts {
  const { context } = snapshot;
  return {
    ready: () => true,
    eventCount: (view, conditions) =>
      eventCount(context, snapshot.segmentsWithin(view), view, conditions),
    totals: (view) => {
      const segments = snapshot.segmentsWithin(view);
      const users = usersWithin(context, segments, view, []).asWords;
      return { users, events: eventCount(context, segments, view, []) };
    },
    timeSeries: (view, days, unit) => timeSeries(snapshot, view, days, unit),
    sessionGroups: (view, by, endMs) => {
      const all = snapshot.segmentsOf(view.projectId);
      const { groups, users } = groupsOfSessions(context, all, view, by, endMs);
      return { groups, users: users.asWords };
    },
    pages: (view, request, endMs) =>
      pagesOfPart(context, snapshot.segmentsOf(view.projectId), view, request, endMs),
    entryPages: (view, endMs) =>
      entriesOfPart(context, snapshot.segmentsOf(view.projectId), view, endMs),
    ways: (view, request, endMs, entries) =>
      waysOfPart(context, snapshot.segmentsOf(view.projectId), view, request, endMs, entries),
    changes: (view, request, endMs) =>
      changesOfPart(context, snapshot.segmentsOf(view.projectId), view, request, endMs),
    sessionsOfGroups: (view, request, beginMs) =>
      sessionsOfGroups(context, snapshot.segmentsWithin(view), view, request, beginMs, () =>
        snapshot.segmentsOf(view.projectId),
      ),
    rows: (view, request) => countRows(snapshot, view, request),
    eventsOfGroups: (view, request) =>
      eventsOfGroups(context, snapshot.segmentsWithin(view), view, request),
    usersOfGroups: (view, request, groups) =>
      usersOfGroups(context, snapshot.segmentsWithin(view), view, request, groups),
    experiment: (view, request) =>
      experimentPart(context, snapshot.segmentsWithin(view), view, request),
    funnelStep: (view, request, step, { sessions, used }) => {
      if (sessions !== null) {
        // What a funnel before has left, which was given up.
        context.endQuestion();
        const segments = snapshot.segmentsWithin(view);
        snapshot.walk = beginPart(context, segments, view, request, sessions);
      }
      const { walk } = snapshot;
      return walk && takeInPart(context, walk, request, step, used);
    },
  };
}

/** Returns the buffers of an answer that are handed over to the thread that asked, rather than copied. */
export function buffersOf(found: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(found))
    return found.byteLength > 0 && found.buffer instanceof ArrayBuffer ? [found.buffer] : [];
  if (Array.isArray(found)) return typeof found[0] === "object" ? found.flatMap(buffersOf) : [];
  if (typeof found !== "object" || found === null) return [];
  return Object.values(found).flatMap(buffersOf);
}
