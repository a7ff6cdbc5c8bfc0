import type { CountGroup, CountRequest } from "../../../domain/counting";
import { dayOf, isoDate } from "../../../domain/event";
import { countGroupsMax } from "../../../domain/limits";
import { valueOfNothing } from "../../../domain/metric";
import { startOf } from "../../../domain/period";
import { compareLabels } from "../../../lib/text";
import type { ComparedPeriod } from "../../questions";
import type { OpenRead } from "../sql/open-read";
import { countBy, type Row, tooManyGroups } from "./count-by";

interface Compared {
  readonly rows: { readonly current: Row; readonly previous: Row }[];
  readonly groups_total: number;
  readonly retained_from_ms: number;
}

/** Counts each period by itself, and joins their groups in this process, to which all of them are sent. */
export async function countCompared(
  read: OpenRead,
  current: ComparedPeriod,
  previous: ComparedPeriod,
  request: CountRequest,
): Promise<Compared> {
  const { group_by: groupBy, metrics, limit, groups_max: groupsMax = countGroupsMax } = request;
  const ofPeriod = ({ goal }: ComparedPeriod): CountRequest => {
    const { limit: _, goal: _goal, ...all } = request;
    return { ...all, order_by: "labels", ...(goal && { goal }) };
  };
  const [now, before] = await Promise.all([
    countBy(read, current, ofPeriod(current)),
    countBy(read, previous, ofPeriod(previous)),
  ]);
  const keyOf = (row: Row): string => JSON.stringify(groupBy.map((name) => row[name]));
  const hasValue = current.goal?.value !== undefined;
  const nothing = Object.fromEntries(
    metrics.map((metric) => [metric, valueOfNothing(metric, hasValue)]),
  );
  const pairs = new Map(
    now.rows.map((row) => [keyOf(row), { current: row, previous: nothing as Row }]),
  );
  for (const found of before.rows) {
    const row = { ...found, ...movedLabels(found, groupBy, current.days.from, previous.days.from) };
    const labels = Object.fromEntries(groupBy.map((name) => [name, row[name]]));
    const known = pairs.get(keyOf(row)) ?? { current: { ...labels, ...nothing } };
    pairs.set(keyOf(row), { current: known.current, previous: row });
  }
  if (pairs.size > groupsMax) throw tooManyGroups(groupsMax);
  const rows = [...pairs.values()].sort(inOrder(request)).slice(0, limit);
  const { retainedFromMs } = read.project(current.projectId);
  return { rows, groups_total: pairs.size, retained_from_ms: retainedFromMs };
}

function inOrder({ order_by: asked, order, group_by: groupBy, metrics }: CountRequest) {
  const sign = order === "asc" ? 1 : -1;
  const orderBy = asked ?? metrics[0];
  const compare = (a: Row, b: Row, name: string): number =>
    compareLabels(a[name] ?? null, b[name] ?? null);
  return ({ current: a }: { current: Row }, { current: b }: { current: Row }): number =>
    [sign * compare(a, b, orderBy), ...groupBy.map((name) => compare(a, b, name))].find(
      (difference) => difference !== 0,
    ) ?? 0;
}

const daysOfWeek = 7;
const monthsOfYear = 12;
const dateLength = "YYYY-MM-DD".length;
const monthLength = "YYYY-MM".length;
const dayOfText = (date: string): number => dayOf(Date.parse(`${date}T00:00:00Z`));
const monthsOfDay = (day: number): number => {
  const [year, month] = isoDate(day).split("-").map(Number);
  return year * monthsOfYear + month - 1;
};

/** Renames dates, hours, weeks and months of the period before to those of the current period. */
function movedLabels(
  row: Row,
  groupBy: readonly CountGroup[],
  from: number,
  fromBefore: number,
): Row {
  const labelled = row.date ?? row.hour;
  const isDaily = groupBy.includes("date") || groupBy.includes("hour");
  if (isDaily && typeof labelled === "string") {
    const day = dayOfText(labelled.slice(0, dateLength)) - fromBefore + from;
    const named: Row = {
      date: isoDate(day),
      week: isoDate(startOf(day, "week")),
      month: isoDate(day).slice(0, monthLength),
      hour: isoDate(day) + String(row.hour ?? "").slice(dateLength),
    };
    return Object.fromEntries(
      groupBy.flatMap((name) => (name in named ? [[name, named[name]]] : [])),
    );
  }
  const moved: Row = {};
  if (typeof row.week === "string") {
    const weeks = dayOfText(row.week) - startOf(fromBefore, "week");
    moved.week = isoDate(startOf(from, "week") + Math.round(weeks / daysOfWeek) * daysOfWeek);
  }
  if (typeof row.month === "string") {
    const months = monthsOfDay(dayOfText(`${row.month}-01`)) - monthsOfDay(fromBefore);
    const month = monthsOfDay(from) + months;
    const first = new Date(Date.UTC(Math.floor(month / monthsOfYear), month % monthsOfYear, 1));
    moved.month = first.toISOString().slice(0, monthLength);
  }
  return moved;
}
