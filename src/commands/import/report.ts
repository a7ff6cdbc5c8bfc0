import { visibleText } from "../../lib/visible-text";
import { bytesText, countText } from "../remote/progress";
import type { RemoteDifference, RemoteImport, RemoteRefusal, RemoteReport } from "./remote-import";

/** The days at the begin and at the end of a long table. */
const daysAtEnds = 5;

/** The report of a check, for people. */
export function reportText({ id, name, kind, report }: RemoteImport): string {
  if (report === null || report === undefined) return "";
  const parts = [
    [`${visibleText(name ?? "File")} (${report.format ?? kind ?? "unknown"}), import ${id}`],
    rowsPart(report),
    factsPart(report),
    differencesPart(report.differences ?? []),
    daysPart(report.by_day ?? []),
    refusalsPart(report.refusals ?? []),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function rowsPart({ rows }: RemoteReport): string[] {
  const counts = Object.entries(rows).map(([what, count]) => [what, countText(count)]);
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return ["Rows", ...table([...counts, ["all", countText(total)]], new Set([1]))];
}

function factsPart(report: RemoteReport): string[] {
  const { from, to, timezone, users, sessions, page_views } = report;
  const counted = [
    ["users", users],
    ["sessions", sessions],
    ["page views", page_views],
  ] as const;
  const counts = counted.flatMap(([what, count]) =>
    typeof count === "number" ? [`${countText(count)} ${what}`] : [],
  );
  const hidden = report.hidden_days ?? 0;
  return [
    ...(from && to ? [`From ${from} to ${to}${timezone ? `, ${timezone}` : ""}`] : []),
    ...(counts.length === 0 ? [] : [`Stored: ${counts.join(", ")}`]),
    ...(hidden === 0
      ? []
      : [
          `${countText(hidden)} days are not shown, because the project has events of its own then`,
        ]),
    ...(report.bytes_needed === undefined
      ? []
      : [`Takes ${bytesText(report.bytes_needed)} of disk`]),
    ...(report.caveats ?? []).map((caveat) => `Caveat: ${caveat}`),
  ];
}

function differencesPart(differences: readonly RemoteDifference[]): string[] {
  if (differences.length === 0) return [];
  const rows = differences.map(({ what, file, stored, why }) => [
    ...[visibleText(what), countText(file), countText(stored), visibleText(why)],
  ]);
  return ["Differences", ...table([["", "file", "stored", "why"], ...rows], new Set([1, 2]))];
}

type DayCounts = NonNullable<RemoteReport["by_day"]>;

function daysPart(days: DayCounts): string[] {
  const [first] = days;
  if (first === undefined) return [];
  const columns = [...new Set(days.flatMap((day) => Object.keys(day)))];
  const shown = (some: DayCounts) =>
    some.map((day) => columns.map((column) => cellText(day[column])));
  const isLong = days.length > 2 * daysAtEnds;
  const left = days.length - 2 * daysAtEnds;
  const rows = isLong
    ? [
        ...shown(days.slice(0, daysAtEnds)),
        [`… ${countText(left)} more`],
        ...shown(days.slice(-daysAtEnds)),
      ]
    : shown(days);
  const heads = columns.map((column) => column.replaceAll("_", " "));
  return ["Days", ...table([heads, ...rows], new Set(columns.keys().filter((at) => at > 0)))];
}

const cellText = (cell: string | number | null | undefined): string =>
  typeof cell === "number" ? countText(cell) : visibleText(cell ?? "–");

function refusalsPart(refusals: readonly RemoteRefusal[]): string[] {
  if (refusals.length === 0) return [];
  const rows = refusals.map(({ code, count, lines }) => [
    ...[code, countText(count), `lines ${lines.join(", ")}${count > lines.length ? ", …" : ""}`],
  ]);
  return ["Refused", ...table(rows, new Set([1]))];
}

/** Rows as lines, in columns: those named are numbers, which stand on the right. */
export function table(
  rows: readonly (readonly string[])[],
  onTheRight: ReadonlySet<number>,
): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(0, ...rows.map((row) => (row.length === 1 ? 0 : (row[at]?.length ?? 0)))),
  );
  return rows.map((row) =>
    `  ${row
      .map((cell, at) =>
        onTheRight.has(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join("  ")}`.trimEnd(),
  );
}
