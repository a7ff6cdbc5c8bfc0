import { bytesPerUnitMax, writeText } from "../../../lib/code-points";
import { Smallest } from "../../../lib/smallest";
import { compareLabels, compareText } from "../../../lib/text";
import type { Context } from "../filter/context";
import type { Identity } from "../scan/identity";
import type { Key } from "../scan/vector";
import type { PlacedTexts } from "../segment/texts";
import type { SessionNumbers } from "../session/session-numbers";
import { Bitmap } from "../sets/bitmap";
import { type Budget, valuesPerCheck } from "../sets/budget";
import type { GroupTable } from "../sets/group-table";

type Labels = Pick<Key, "label" | "first">;

interface LabelledGroups {
  readonly table: GroupTable;
  readonly labels: readonly Labels[];
  readonly budget: Budget;
}

/**
 * Returns the first of very many groups in order of their labels, unsorted. It compares one place of the labels after
 * the other. The groups before the last label that fits the limit are among the first. If several groups share that
 * label, the next place decides between them.
 */
export function firstGroups(
  { table, labels, budget }: LabelledGroups,
  groups: Uint32Array,
  limit: number,
): number[] {
  if (labels.length === 1) return firstOfOne(table, labels[0], groups, limit, budget);
  const first: number[] = [];
  let left = groups;
  for (let place = 0; place < labels.length && left.length > limit - first.length; place++) {
    const numberOf = (group: number): number => table.numberAt(group, place);
    const { before, last } = neededLabels(
      labels[place],
      numberOf,
      left,
      limit - first.length,
      budget,
    );
    const shared: number[] = [];
    budget.each(left.length, (at) => {
      const number = numberOf(left[at]);
      if (before.has(number)) first.push(left[at]);
      else if (number === last) shared.push(left[at]);
    });
    left = Uint32Array.from(shared);
  }
  return [...first, ...left];
}

/** Where there is one label each, no two groups share it. */
function firstOfOne(
  table: GroupTable,
  label: Labels,
  groups: Uint32Array,
  limit: number,
  budget: Budget,
): number[] {
  const numbers = budget.words(groups.length);
  for (let at = 0; at < groups.length; at++) {
    if (at % valuesPerCheck === 0) budget.check();
    numbers[at] = table.numberAt(groups[at], 0);
  }
  const first = label.first(numbers, limit);
  budget.giveBack(numbers.byteLength);
  return Array.from(first, (number) => table.groupOf(Uint32Array.of(number)));
}

/** Numbers of the first labels, which have less than `limit` groups together, and of the one that brings them to it. */
function neededLabels(
  label: Labels,
  numberOf: (group: number) => number,
  groups: Uint32Array,
  limit: number,
  budget: Budget,
): { readonly before: ReadonlySet<number>; readonly last: number } {
  const candidates = label.first(distinctNumbers(groups, numberOf, budget), limit);
  const counts = new Map<number, number>();
  budget.each(groups.length, (at) => {
    const number = numberOf(groups[at]);
    if (candidates.has(number)) counts.set(number, (counts.get(number) ?? 0) + 1);
  });
  const inOrder = [...counts.keys()]
    .map((number) => ({ number, label: label.label(number) }))
    .sort((a, b) => compareLabels(a.label, b.label));
  const before = new Set<number>();
  let left = limit;
  for (const { number } of inOrder) {
    left -= counts.get(number) ?? 0;
    if (left <= 0) return { before, last: number };
    before.add(number);
  }
  throw new Error("there are more groups than are wanted");
}

function distinctNumbers(
  groups: Uint32Array,
  numberOf: (group: number) => number,
  budget: Budget,
): Uint32Array {
  const there = new Bitmap();
  let count = 0;
  budget.each(groups.length, (at) => {
    if (there.add(numberOf(groups[at]))) count++;
  });
  const numbers = budget.words(count);
  let next = 0;
  budget.each(there.limit, (number) => {
    if (there.has(number)) numbers[next++] = number;
  });
  return numbers;
}

/** The first of very many users in order of their names, "none" (0) before all. It walks the index of names. */
export function firstUsers(
  identity: Identity,
  users: Uint32Array,
  limit: number,
  budget: Budget,
): number[] {
  const wanted = bitmapOf(users, identity.numberLimit, budget);
  const nobody = wanted.has(0) && limit > 0 ? [0] : [];
  const isWanted = (user: number): boolean => wanted.has(user);
  return [...nobody, ...identity.firstByName(isWanted, limit - nobody.length, budget.check)];
}

interface NamedSession {
  readonly session: number;
  readonly id: string;
}

/** "None" (0) and sessions by their ids, as far as these were looked at. */
export type SessionIds = Map<number, string | null>;

/**
 * The first of very many sessions in order of their ids, "none" (0) before all. Segment by segment, since those that
 * follow each other in number are in different ones.
 */
export function firstSessions(
  context: Context,
  numbers: SessionNumbers | null,
  sessions: Uint32Array,
  limit: number,
): SessionIds {
  const { budget } = context;
  const wanted = bitmapOf(sessions, (numbers?.count ?? 0) + 1, budget);
  const nobody = wanted.has(0) && limit > 0 ? [0] : [];
  const first = new Smallest<NamedSession>(limit - nobody.length, (a, b) =>
    compareText(a.id, b.id),
  );
  const offered = new Bitmap(numbers?.count);
  for (const [segmentId, of] of numbers?.of ?? []) {
    const segment = context.open(segmentId);
    const ids = segment.placedSessionIds;
    let last = bytesOf(first.last?.id);
    budget.each(of.length, (visit) => {
      const session = of[visit];
      if (session === 0 || !wanted.has(session) || !offered.add(session)) return;
      // Nearly all come behind those that are there: these need not become strings.
      if (last !== null && !isBefore(ids, visit, last)) return;
      const id = ids.text(visit);
      if (id === null) return;
      first.offer({ session, id });
      last = bytesOf(first.last?.id);
    });
  }
  return new Map<number, string | null>([
    ...nobody.map((none) => [none, null] as const),
    ...first.members().map(({ session, id }) => [session, id] as const),
  ]);
}

function bytesOf(text: string | undefined): Uint8Array | null {
  if (text === undefined) return null;
  const bytes = new Uint8Array(text.length * bytesPerUnitMax);
  return bytes.subarray(0, writeText(bytes, 0, text));
}
/** Bytes of texts are in order when the texts are. */
function isBefore(texts: PlacedTexts, index: number, other: Uint8Array): boolean {
  const { bytes } = texts;
  const from = texts.startOf(index);
  const to = texts.endOf(index);
  for (let place = 0; place < other.length; place++) {
    if (from + place >= to) return true;
    const order = bytes[from + place] - other[place];
    if (order !== 0) return order < 0;
  }
  return false;
}

function bitmapOf(members: Uint32Array, limit: number, budget: Budget): Bitmap {
  const bitmap = new Bitmap(limit);
  budget.each(members.length, (place) => {
    bitmap.add(members[place]);
  });
  return bitmap;
}
