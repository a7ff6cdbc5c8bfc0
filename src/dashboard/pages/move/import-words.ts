import type { ImportAnswer } from "../../data/move-answers";
import { percent } from "../../lib/format";
import { countOf, localTime } from "../../lib/words";
import { sizeText } from "./size";

/** The kinds of files by their names in the API. */
export const kindNames: Readonly<Record<string, string>> = {
  sightline: "Sightline",
  plausible: "Plausible",
  umami: "Umami",
  goatcounter: "GoatCounter",
  matomo: "Matomo",
  posthog: "PostHog",
  mixpanel: "Mixpanel",
  ga4: "Google Analytics 4, from BigQuery",
  events: "Another program: events as JSON Lines or CSV",
};

/** The outcomes of rows by their names in the API. */
export const fateNames: Readonly<Record<string, string>> = {
  stored: "Stored",
  duplicates: "Duplicates: another row, or an earlier import, has them",
  overlap: "Left out: the project has events of its own from that time",
  older: "Left out: older than the project keeps events",
  folded: "Counted into days: older than the project keeps events",
  unsupported: "Left out: no events",
  refused: "Refused",
  excluded: "Left out: an erasure has blocked the IDs of these rows",
};

/** One sentence about the state, with what to do. */
export function stateText({ state, size, received, progress, ...more }: ImportAnswer): string {
  if (state === "uploading") {
    return `The upload is not finished: ${sizeText(received)} of ${sizeText(size)}. Choose the same file again.`;
  }
  if (state === "checking") return `The server checks the file: ${percent(progress)}.`;
  if (state === "checked") return "Checked. Nothing is stored yet.";
  if (state === "committing") return `The server stores the rows: ${percent(progress)}.`;
  if (state === "failed") return failureText(more.error);
  const rows = countOf(more.report?.rows.stored ?? 0, "row");
  const when = more.committed_at === null ? "" : ` on ${localTime(more.committed_at)}`;
  return `Done: ${rows} stored${when}.`;
}

function failureText(error: ImportAnswer["error"]): string {
  if (error === undefined) return "It failed.";
  const line = error.line === undefined ? "" : ` (line ${error.line})`;
  return `It failed: ${error.message}${line}`;
}
