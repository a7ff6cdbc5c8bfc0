import type { ComponentChildren } from "preact";
import type { ReportAnswer } from "../../data/move-answers";
import { exact } from "../../lib/format";
import { countOf } from "../../lib/words";
import { SaidWhole } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { fateNames } from "./import-words";
import { sizeText } from "./size";

/** The report of a check, as tables: every row of the file ends in one of them. */
export function Report({ report }: { readonly report: ReportAnswer }) {
  const { rows, refusals, differences, by_day: days } = report;
  const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return (
    <div id="import-report" class="report">
      <p>{summaryOf(report)}</p>
      <Table label="Rows of the file" heads={[`Rows of the file: ${exact(all)}`, "Rows"]}>
        {Object.entries(rows)
          .filter(([fate, count]) => count > 0 || fate === "stored")
          .map(([fate, count]) => [fateNames[fate] ?? fate, exact(count)])}
      </Table>
      {refusals.length > 0 && (
        <Table label="Refused rows" heads={["Refused because", "Rows", "In the lines"]}>
          {refusals.map(({ code, count, lines }) => [
            <a key={code} class="link" href={`/docs/api/errors#${code.toLowerCase()}`}>
              {code}
            </a>,
            exact(count),
            `${lines.join(", ")}${count > lines.length ? ", …" : ""}`,
          ])}
        </Table>
      )}
      {differences.length > 0 && (
        <Table label="Differences" heads={["Difference", "In the file", "Stored", "Why"]}>
          {differences.map(({ what, file, stored, why }) => [
            fateNames[what] ?? headOf(what.replaceAll("_", " ")),
            exact(file),
            exact(stored),
            <SaidWhole key={what} text={why} />,
          ])}
        </Table>
      )}
      {days.length > 0 && <Days days={days} />}
    </div>
  );
}

function summaryOf(report: ReportAnswer): string {
  const { becomes, from, to, timezone, users, sessions, page_views, hidden_days } = report;
  const counts = [
    countOf(users, "visitor"),
    countOf(sessions, "session"),
    countOf(page_views, "page view"),
  ];
  return [
    ...(from === null ? ["Nothing would be stored."] : [`From ${from} to ${to}, ${timezone}.`]),
    ...(becomes === "days" ? ["Sums of days."] : [`Events: ${counts.join(", ")}.`]),
    ...(hidden_days > 0
      ? [
          `${countOf(hidden_days, "day")} will not be shown, as the project has events of that time.`,
        ]
      : []),
    `It takes ${sizeText(report.bytes_needed)} of disk.`,
    ...report.caveats.map((caveat) => caveats[caveat] ?? `Note: ${caveat.replaceAll("_", " ")}.`),
  ].join(" ");
}

const caveats: Readonly<Record<string, string>> = {
  emails_left_out:
    "E-mail addresses cannot be imported: people are found by them after the next identify.",
  first_views_only: "The file counts only the first view of a page in a session.",
};

const daysShownMax = 2_000;

function Days({ days }: { readonly days: ReportAnswer["by_day"] }) {
  const columns = [...new Set(days.flatMap((day) => Object.keys(day)))];
  const shown = days.slice(0, daysShownMax);
  return (
    <>
      <Table
        label="Days"
        heads={columns.map((one) => headOf(one.replaceAll("_", " ")))}
        csv="import-days"
        isTall
      >
        {shown.map((day) => columns.map((column) => cellOf(day[column])))}
      </Table>
      {days.length > shown.length && (
        <p class="card-note">
          The first {exact(shown.length)} of {exact(days.length)} days. The command sightline import
          --json prints all of them.
        </p>
      )}
    </>
  );
}

const headOf = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const cellOf = (cell: string | number | null | undefined): string =>
  typeof cell === "number" ? exact(cell) : (cell ?? "–");

interface TableProps {
  readonly label: string;
  readonly heads: readonly string[];
  readonly csv?: string;
  readonly isTall?: boolean;
  readonly children: readonly (readonly ComponentChildren[])[];
}

/** The first column names its row; a column of numbers stands on the right. */
const Table = ({ label, heads, csv, isTall = false, children }: TableProps) => (
  <Scroll label={label} class={isTall ? "tall" : ""} {...(csv !== undefined && { csv })}>
    <table class="grid">
      <thead>
        <tr>
          {heads.map((head, at) => (
            <th key={head} scope="col" class={isNumeric(children, at) ? "num" : ""}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {children.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, at) =>
              at === 0 ? (
                <th key={heads[at]} scope="row">
                  {cell}
                </th>
              ) : (
                <td key={heads[at]} class={isNumeric(children, at) ? "num" : ""}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

const isNumeric = (rows: TableProps["children"], at: number): boolean =>
  at > 0 && rows.every((row) => typeof row[at] === "string" && /^[\d,]+$|^–$/.test(row[at]));
