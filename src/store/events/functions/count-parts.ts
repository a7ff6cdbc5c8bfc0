import type { CountRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import { HashAggregate } from "../aggregate/hash-aggregate";
import { keyOf } from "../aggregate/plan";
import { UsersOfGroups } from "../aggregate/users";
import type { Label } from "../aggregate/vector";
import type { Segment } from "../segment/segment";
import type { Budget } from "./budget";
import type { Context } from "./context";
import { rowOf, select } from "./count-by";
import { type Counted, nothing } from "./counted";
import { bestGroups, type CountedGroups } from "./counting/ranking";
import { Bitmap } from "./sets/bitmap";

/**
 * Counting of a window in parts that follow each other: first the events of all groups, then the users of those that
 * may be shown. Users stay in sets until the end, as several parts may have the same user.
 */

type Words = Uint32Array<ArrayBuffer>;

/** With more groups a part does not send users: every 32 groups take a word for each user. */
const toldGroupsOfUsersMax = 256;

export interface EventsOfGroups {
  /** The labels of each group, in the order of `group_by`. */
  readonly labels: readonly (readonly Label[])[];
  readonly events: Float64Array<ArrayBuffer>;
}

/** Returns the groups of a part; null if there are too many to send. */
export function eventsOfGroups(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  request: CountRequest,
): EventsOfGroups | null {
  if (segments.length === 0) return { labels: [], events: new Float64Array(0) };
  // All of them may be shown where they are ordered by users.
  const groupsMax = isOfAllUsers(request) ? toldGroupsOfUsersMax : context.tuning.toldGroupsMax;
  const counted = eventsCounted(context, segments, window, request, groupsMax);
  if (counted === null) return null;
  const groups = counted.members();
  return {
    labels: Array.from(groups, (group) => labelsIn(counted, group, request)),
    events: Float64Array.from(groups, (group) => counted.value(group, "event_count") ?? 0),
  };
}

/** Returns a bitmap of users for each of the `wanted` groups of a part. */
export function usersOfGroups(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  request: CountRequest,
  wanted: readonly (readonly Label[])[],
): Words[] {
  if (segments.length === 0) return [];
  const counted = eventsCounted(context, segments, window, request);
  if (counted === null) return [];
  const numbers = new Map<string, number>();
  for (const group of counted.members()) {
    numbers.set(JSON.stringify(labelsIn(counted, group, request)), group);
  }
  const identity = context.identity(segments[0].projectId);
  const users = new UsersOfGroups(context, identity, identity.largestIn(segments, context.check));
  // A group without events in this part keeps its place.
  const places = wanted.map((labels) => numbers.get(JSON.stringify(labels)) ?? noGroup);
  counted.aggregate(new Map([["unique_users", users]]), places);
  const bitmaps = wanted.map((_, place) => users.bitmapOf(place));
  counted.end();
  return bitmaps;
}
/** The group of rows that are not counted. */
const noGroup = -1;

/** Counts events by group; null for more groups than `groupsMax`, as soon as that is known. */
function eventsCounted(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  request: CountRequest,
  groupsMax = Number.POSITIVE_INFINITY,
): HashAggregate | null {
  const identity = context.identity(segments[0].projectId);
  const selected = select(context, segments, window, request.filters ?? [], identity);
  // The caller has checked that sessions are not needed.
  const inputs = {
    ...{ context, identity, selected, window },
    ...{ sessions: null, numbers: null, reached: null },
  };
  const { skip_null: skipsNull = false, groups_max: countedMax } = request;
  const keys = request.group_by.map((name) => keyOf(name, inputs));
  const counted = new HashAggregate(keys, context.budget, { skipsNull, groupsMax: countedMax });
  for (const selection of selected) {
    context.check();
    counted.add(selection);
    if (counted.size > groupsMax) return null;
  }
  return counted;
}

const labelsIn = (counted: CountedGroups, group: number, { group_by }: CountRequest): Label[] =>
  group_by.map((_, place) => counted.label(group, place));

/** Tells whether the users of all groups are asked for, and not only those of the first groups by another metric. */
const isOfAllUsers = ({ metrics, limit, order_by: order = metrics[0] }: CountRequest): boolean =>
  metrics.includes("unique_users") && (order === "unique_users" || limit === undefined);

/** The groups of all parts. */
export class JoinedGroups implements CountedGroups {
  private readonly places = new Map<string, number>();
  private readonly labels: (readonly Label[])[] = [];
  private readonly events: number[] = [];
  /** The number of users by place. */
  private users: Float64Array = new Float64Array(0);
  /** The place of each group whose users were counted. */
  private readonly countedPlaces = new Map<number, number>();

  constructor(
    parts: readonly EventsOfGroups[],
    private readonly request: CountRequest,
    private readonly context: Context,
  ) {
    for (const { labels, events } of parts) {
      labels.forEach((one, index) => {
        const key = JSON.stringify(one);
        const known = this.places.get(key);
        if (known !== undefined) {
          this.events[known] += events[index];
          return;
        }
        this.places.set(key, this.labels.length);
        this.labels.push(one);
        this.events.push(events[index]);
      });
    }
  }

  members(): Uint32Array {
    return Uint32Array.from(this.labels.keys());
  }
  label(group: number, place: number): Label {
    return this.labels[group][place];
  }
  value(group: number, metric: string): number {
    if (metric !== "unique_users") return this.events[group];
    const place = this.countedPlaces.get(group);
    return place === undefined ? 0 : this.users[place];
  }

  /** Returns the groups whose users have to be counted before the rows are told. Null when these are too many. */
  wanted(): readonly (readonly Label[])[] | null {
    const { request, labels } = this;
    if (!request.metrics.includes("unique_users")) return [];
    const groups = isOfAllUsers(request)
      ? Array.from(labels.keys())
      : bestGroups(this, request, this.context.budget).best;
    if (groups.length > toldGroupsOfUsersMax) return null;
    groups.forEach((group, place) => void this.countedPlaces.set(group, place));
    return groups.map((group) => labels[group]);
  }
  addUsers(parts: readonly (readonly Words[])[]): void {
    this.users = usersCounted(parts, this.countedPlaces.size, this.context.budget);
  }

  rows(): Counted {
    const { request, context } = this;
    const { best, total } = bestGroups(this, request, context.budget);
    const rows = best.map((group) => rowOf(this, group, request));
    return total === 0 ? nothing(request) : { rows, groups_total: total };
  }
}

/** Counts the users of each group in all parts together. */
function usersCounted(
  parts: readonly (readonly Words[])[],
  groups: number,
  budget: Budget,
): Float64Array {
  const users = new Float64Array(groups);
  for (let group = 0; group < groups; group++) {
    budget.check();
    const all = new Bitmap();
    for (const part of parts) all.addWords(part[group] ?? none);
    users[group] = all.count;
  }
  return users;
}
const none: Words = new Uint32Array(0);
