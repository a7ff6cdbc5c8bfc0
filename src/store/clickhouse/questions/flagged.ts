/*
 * Texts are looked through when they are asked for.
 * Decision: GET /trust, and a question that names a text by its mask, fetch each different text that a rule may hold
 * for, and look at it with the rules of all engines.
 * Because: nothing stored beside the events can then be incomplete, and ClickHouse itself finds such texts.
 * Cost: a read of every property of the window, or of all time for a mask.
 * Revisit: when these reads are slower than those who ask them can wait; the own engine keeps what it has found.
 */

import { ApiError } from "../../../domain/errors";
import { dayOf } from "../../../domain/event";
import type { TrustField } from "../../../domain/trust/fields";
import { bitOf, type Flag, flagOf } from "../../../domain/trust/flagged";
import type { FlaggedRequest, FlaggedValue, FoundFlagged } from "../../../domain/trust/found";
import { trustCategories } from "../../../domain/trust/rules";
import { compareText } from "../../../lib/text";
import type { View } from "../../questions";
import { parseString, stringsIn } from "../../shared/json-text";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import { localTime } from "../sql/local-time";
import type { OpenRead } from "../sql/open-read";
import { valueColumns, visitorValues } from "../sql/texts";
import { timeMs } from "../sql/values";

/** One read tries the rules on this many different values. */
export const valuesMax = 100_000;
/** After this many values other requests have their turn. */
const valuesPerTurn = 1_000;

/** A stored value is a text, or a list or an object as JSON. */
export interface StoredValue {
  readonly is_json: 0 | 1;
  readonly text: string;
}
interface PlacedValue extends StoredValue {
  readonly field: TrustField;
  readonly key: string;
  readonly events: number;
  readonly first_ms: number;
  readonly last_ms: number;
}
interface FlaggedText extends Flag {
  readonly text: string;
}

export async function flaggedValues(
  read: OpenRead,
  view: View,
  { cleared, limit }: FlaggedRequest,
): Promise<FoundFlagged> {
  const bound = new Bound();
  const rows = await read.ask<PlacedValue>(
    `select field, key, ${valueColumns}, count() as events,
      min(${timeMs}) as first_ms, max(${timeMs}) as last_ms
    from ${visitorValues(new Events(read, bound, view).sql())}
    group by field, key, value limit ${bound.integer(valuesMax + 1)}`,
    bound,
  );
  const values = new Map<string, FlaggedValue>();
  /** The values by the categories for which their events are flagged, as bits. */
  const marked = new Map<number, StoredValue[]>();
  for await (const [row, flagged] of lookedThrough(rows)) {
    for (const flag of flagged) addValue(values, row, flag);
    const bits = flagged
      .filter(({ digest }) => !cleared.includes(digest))
      .reduce((all, { categories }) => all | categories, 0);
    if (bits !== 0) marked.set(bits, [...(marked.get(bits) ?? []), row]);
  }
  const counted = [...values.values()].filter(({ digest }) => !cleared.includes(digest));
  const marks = marked.size === 0 ? [] : await markedEvents(read, view, marked);
  return {
    values: [...values.values()].toSorted(inOrder).slice(0, limit),
    sums: { values: counted.length, events: sumOf(marks) },
    by_category: trustCategories.flatMap((category) => {
      const isOfIt = ({ categories }: Pick<Flag, "categories">): boolean =>
        (categories & bitOf(category)) !== 0;
      const found = counted.filter(isOfIt).length;
      const events = sumOf(marks.filter(isOfIt));
      return found === 0 ? [] : [{ category, values: found, events }];
    }),
    days: [...new Set(marks.map(({ day }) => day))]
      .toSorted((a, b) => a - b)
      .map((day) => ({ day, events: sumOf(marks.filter((mark) => mark.day === day)) })),
  };
}

/** Yields each row that has flagged texts, with these texts. */
export async function* lookedThrough<Row extends StoredValue>(
  rows: readonly Row[],
): AsyncIterable<readonly [Row, readonly FlaggedText[]]> {
  if (rows.length > valuesMax) throw tooManyTexts();
  const known = new Map<string, FlaggedText | null>();
  for (const [index, row] of rows.entries()) {
    if (index % valuesPerTurn === valuesPerTurn - 1) await Bun.sleep(0);
    const texts =
      row.is_json === 1 ? new Set([...stringsIn(row.text)].map(parseString)) : [row.text];
    const flagged = [...texts].flatMap((text) => {
      const seen = known.get(text);
      const flag = seen === undefined ? flagOf(text) : seen;
      const found = flag === null ? null : { ...flag, text };
      known.set(text, found);
      return found === null ? [] : [found];
    });
    if (flagged.length > 0) yield [row, flagged];
  }
}

/** A text may occur in several lists and objects of one property, of which an event has one: their events add up. */
function addValue(values: Map<string, FlaggedValue>, row: PlacedValue, flag: FlaggedText): void {
  const { field, key } = row;
  const place = JSON.stringify([field, key, flag.text]);
  const before = values.get(place);
  values.set(place, {
    ...flag,
    ...{ field, key },
    events: (before?.events ?? 0) + row.events,
    first_seen: Math.min(before?.first_seen ?? row.first_ms, row.first_ms),
    last_seen: Math.max(before?.last_seen ?? row.last_ms, row.last_ms),
  });
}

const inOrder = (a: FlaggedValue, b: FlaggedValue): number =>
  b.events - a.events ||
  compareText(a.field, b.field) ||
  compareText(a.key, b.key) ||
  compareText(a.digest, b.digest);

interface Marked extends Pick<Flag, "categories"> {
  readonly day: number;
  readonly events: number;
}
const sumOf = (marks: readonly Marked[]): number =>
  marks.reduce((sum, { events }) => sum + events, 0);

/** Counts each flagged event once, by its date and all categories for which it is flagged. */
async function markedEvents(
  read: OpenRead,
  view: View,
  marked: ReadonlyMap<number, readonly StoredValue[]>,
): Promise<Marked[]> {
  const bound = new Bound();
  const sets = [...marked].map(([bits, values]) => {
    const [texts, json] = [0, 1].map((isJson) =>
      bound.texts(values.filter(({ is_json }) => is_json === isJson).map(({ text }) => text)),
    );
    return { bits, list: `arrayConcat(${texts}, arrayMap(one -> concat('\\xFF', one), ${json}))` };
  });
  const bitsOf = (value: string): string =>
    sets
      .map(({ bits, list }) => `if(${value} in ${list}, ${bits}, 0)`)
      .reduce((all, one) => `bitOr(${all}, ${one})`);
  const rows = await read.ask<{ date: string; bits: number; events: number }>(
    `select toString(toDate(${localTime(view, view.zone)})) as date, bits, count() as events
    from (select time, bitOr(bitOr(${bitsOf("toString(name)")}, ${bitsOf("session_id")}),
      bitOr(${bitsOf("user")}, arrayReduce('groupBitOr', arrayMap(one -> ${bitsOf("one")},
        arrayConcat(arrayMap(key -> toString(key), mapKeys(properties)), mapValues(properties)))))) as bits
      from ${new Events(read, bound, view).sql()})
    where bits != 0 group by date, bits`,
    bound,
  );
  return rows.map(({ date, bits, events }) => ({
    ...{ categories: bits, events },
    day: dayOf(Date.parse(`${date}T00:00:00Z`)),
  }));
}

const tooManyTexts = (): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    `More than ${valuesMax} different texts of visitors have to be looked through. Ask for fewer days.`,
  );
