import { type Days, datesOf } from "../../domain/period";
import { escapeHtml, pageDocument } from "../../http/pages/html";
import type { ShareHolder } from "../../store/control/shares";

type Row = Readonly<Record<string, string | number | null>>;

export interface Overview {
  readonly days: Days;
  readonly total: Row;
  /** The most frequent ones. */
  readonly events: readonly Row[];
}

/** Who shares what and since when, and the main numbers. The dashboard's script may take the place of the tables. */
export const sharedPage = (holder: ShareHolder, overview: Overview): string =>
  documentOf(
    holder,
    `<div id="shared-dashboard" data-project="${escapeHtml(holder.project)}">
${tablesOf(overview)}
</div>`,
  );

/** `alert` says what became of the try before. */
export const passwordPage = (holder: ShareHolder, alert: string | null): string =>
  documentOf(
    holder,
    `${alert === null ? "" : `<p class="alert" role="alert">${escapeHtml(alert)}</p>`}
<form method="post">
<label>Password <input type="password" name="password" autocomplete="off" required autofocus></label>
<button>Show</button>
</form>`,
  );

function documentOf({ share, owner, project }: ShareHolder, content: string): string {
  const since = new Date(share.createdAtMs).toISOString().slice(0, 10);
  const filters =
    share.filters.length === 0
      ? ""
      : `\n<p>Only a part of the events is shown: ${share.filters.length} filters hold.</p>`;
  return pageDocument({
    name: "share",
    title: escapeHtml(project),
    body: `<main class="narrow">
<h1><bdi>${escapeHtml(project)}</bdi></h1>
<p><bdi>${escapeHtml(share.name)}</bdi>, shared by <bdi>${escapeHtml(owner.email)}</bdi> since ${since}.</p>${filters}
${content}
</main>`,
  });
}

function tablesOf({ days, total, events }: Overview): string {
  const { from, to } = datesOf(days);
  return `<h2>${from} to ${to}</h2>
<table>
<thead><tr><th scope="col">Visitors</th><th scope="col">Sessions</th><th scope="col">Events</th></tr></thead>
<tbody><tr>${numbersOf(total)}</tr></tbody>
</table>
<h2>Most frequent events</h2>
${events.length === 0 ? "<p>There are no events in these 30 days.</p>" : eventTable(events)}`;
}

const eventTable = (events: readonly Row[]): string => `<table>
<thead><tr><th scope="col">Event</th><th scope="col">Visitors</th><th scope="col">Sessions</th>\
<th scope="col">Events</th></tr></thead>
<tbody>
${events.map(eventRow).join("\n")}
</tbody>
</table>`;

const eventRow = (row: Row): string =>
  `<tr><th scope="row"><bdi>${escapeHtml(String(row.event))}</bdi></th>${numbersOf(row)}</tr>`;

const numbersOf = (row: Row): string =>
  ["unique_users", "session_count", "event_count"]
    .map((metric) => `<td>${escapeHtml(Number(row[metric] ?? 0).toLocaleString("en"))}</td>`)
    .join("");
