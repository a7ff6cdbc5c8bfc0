import { type DayCount, type DayDimension, dayCounts } from "../../domain/day-row";
import { ApiError } from "../../domain/errors";
import { isoDate } from "../../domain/event";
import { type BucketUnit, startOf } from "../../domain/period";
import { compareText } from "../../lib/text";
import type { Days, StoredDay } from "../../store/control/days";
import type { ValueSums } from "../../store/control/packed-sums";
import type { FoundHistory, History, HistoryBucket, HistoryValue } from "./schema";

/** The dates whose sums are read at once: the main thread does other work in between. */
const daysPerStep = 200;
/** Different values of a dimension in one answer. */
const valuesMax = 1_000_000;

interface Request {
  readonly dimension: DayDimension;
  readonly groupBy: BucketUnit;
  readonly limit: number;
}

/** Adds up the sums of some dates, which are in ascending order. */
export async function historyOf(
  days: Days,
  shown: readonly StoredDay[],
  { dimension, groupBy, limit }: Request,
): Promise<FoundHistory> {
  const totals = new Sums();
  const buckets = new Map<string, Sums>();
  await eachDay(days, shown, "total", (day, sums) => {
    const first = isoDate(startOf(day, groupBy));
    const bucket = sumsIn(buckets, groupBy === "month" ? first.slice(0, "YYYY-MM".length) : first);
    for (const into of [totals, bucket]) into.addDay(sums);
  });
  const series = Array.from(buckets, ([bucket, sums]) => ({ bucket, ...sums.dated() }));
  return {
    totals: totals.dated(),
    series: series.sort((a, b) => compareText(a.bucket, b.bucket)) satisfies HistoryBucket[],
    values: dimension === "total" ? null : await valuesOf(days, shown, dimension, limit),
    imports: importsOf(shown),
  };
}

async function valuesOf(
  days: Days,
  shown: readonly StoredDay[],
  dimension: DayDimension,
  limit: number,
): Promise<FoundHistory["values"]> {
  const values = new Map<string, Sums>();
  await eachDay(days, shown, dimension, (_, sums) => {
    for (const one of sums) sumsIn(values, one.value).add(one);
    if (values.size > valuesMax) {
      throw new ApiError("QUERY_FAILED", "There are too many values. Ask for fewer days.");
    }
  });
  const rows = Array.from(values, ([value, sums]) => ({ value, ...sums.plain() }));
  const counted = dimension === "event" ? "events" : "page_views";
  const hasColumn = rows.some((row) => row[counted] !== null);
  const by = hasColumn ? counted : "visitor_days";
  rows.sort((a, b) => (b[by] ?? 0) - (a[by] ?? 0) || compareText(a.value, b.value));
  return { rows: rows.slice(0, limit), total: rows.length };
}

/** Calls with the sums of each date, those of one import after the other. */
async function eachDay(
  days: Days,
  shown: readonly StoredDay[],
  dimension: DayDimension,
  see: (day: number, sums: readonly ValueSums[]) => void,
): Promise<void> {
  for (const [dayImportId, own] of Map.groupBy(shown, (one) => one.dayImportId)) {
    for (let at = 0; at < own.length; at += daysPerStep) {
      const step = own.slice(at, at + daysPerStep).map(({ day }) => day);
      const isAsked = new Set(step);
      const found = days.sums(dayImportId, dimension, step[0] ?? 0, step.at(-1) ?? 0);
      for (const { day, sums } of found) if (isAsked.has(day)) see(day, sums);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function importsOf(shown: readonly StoredDay[]): History["imports"] {
  return Array.from(Map.groupBy(shown, (one) => one.dayImportId).values(), (own) => {
    const [{ importId, kind, day: from }] = own;
    const to = own.at(-1)?.day ?? from;
    return { id: importId ?? "retention", kind, from: isoDate(from), to: isoDate(to) };
  });
}

function sumsIn(map: Map<string, Sums>, name: string): Sums {
  const known = map.get(name);
  if (known !== undefined) return known;
  const sums = new Sums();
  map.set(name, sums);
  return sums;
}

/** A sum of nulls is null. */
class Sums {
  readonly #sums: Record<DayCount, number | null> = {
    ...{ visitors: null, visits: null, page_views: null },
    ...{ events: null, bounces: null, seconds: null },
  };
  #days = 0;

  add(counts: ValueSums): void {
    for (const name of dayCounts) {
      const count = counts[name];
      if (count !== null) this.#sums[name] = (this.#sums[name] ?? 0) + count;
    }
  }
  addDay(sums: readonly ValueSums[]): void {
    for (const one of sums) this.add(one);
    this.#days += 1;
  }
  plain(): Omit<HistoryValue, "value"> {
    const { visitors, ...others } = this.#sums;
    return { visitor_days: visitors, ...others };
  }
  dated(): History["totals"] {
    return { ...this.plain(), days: this.#days };
  }
}
