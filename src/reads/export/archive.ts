import { isoDate } from "../../domain/event";
import { dayMs } from "../../lib/clock";
import type { Export } from "../../store/exports";
import { eventsTable } from "./events";
import { jsonLines } from "./jsonl";

interface ArchiveInput {
  readonly projectId: string;
  readonly project: string;
  /** UTC, in days since 1970-01-01. */
  readonly day: number;
}

/** The events of one UTC date, as GET /export writes them. The same events make the same bytes at any time. */
export const archiveExport: Export<ArchiveInput> = {
  name: "archive",
  run: (source, { projectId, project, day }) => {
    const view = { projectId, fromMs: day * dayMs, toMs: (day + 1) * dayMs };
    const head = { project, timezone: "UTC", exported_at: view.toMs };
    return jsonLines(head, [eventsTable(source, view, null)]);
  },
};

/** The name of a file of a date. */
export const archiveName = (day: number, number: number): string =>
  `${isoDate(day)}${number === 1 ? "" : `-${number}`}.jsonl.zst`;
