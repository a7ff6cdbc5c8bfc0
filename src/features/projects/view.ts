import { addressOfPage } from "../../http/auth/own-origin";
import type { Control } from "../../store/control/control";
import type { ProjectRow } from "../../store/control/tables";
import type { Project } from "./schema";

/** A project as its account sees it. */
export const viewProject = (
  { days }: Pick<Control, "days">,
  row: ProjectRow,
  totalEvents: number,
  totalReads: number,
): Project => ({
  id: row.id,
  name: row.name,
  project_token: row.token,
  allowed_origins: row.allowedOrigins,
  primary_domain: row.primaryDomain,
  source_scan_id: row.sourceScanId,
  replay_enabled: row.replayEnabled,
  timezone: row.timezone,
  identify: row.identify,
  fold: days.isFolding(row.id),
  created_at: new Date(row.createdAtMs).toISOString(),
  total_events: totalEvents,
  total_reads: totalReads,
});

/**
 * Returns the next step in three lines to copy. Names and tokens have no character that is special in HTML or a shell.
 */
export function installationOf(
  { name, token, primaryDomain }: ProjectRow,
  config: Parameters<typeof addressOfPage>[0],
  headers: Headers,
) {
  const address = addressOfPage(config, headers);
  const advice = `Add this to the <head> of every page of ${primaryDomain} to record page views.`;
  const doubt =
    ` PUBLIC_URL is not set, so the snippet uses ${address}. Set PUBLIC_URL, or replace that with the ` +
    "address at which visitors reach this server.";
  return {
    snippet: `<script defer src="${address}/tracker.js" data-project="${name}" data-token="${token}"></script>`,
    snippet_note: config.publicUrlIsSet ? advice : advice + doubt,
    api_example: `curl -H "X-API-Key: YOUR_API_KEY" "${address}/stats?project=${name}&since=7d"`,
  };
}
