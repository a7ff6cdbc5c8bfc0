import { createHash } from "node:crypto";
import { ProjectContext } from "../../../domain/context-fields";
import { type DayCounts, dayCounts, dayDimensions, dayImportKinds } from "../../../domain/day-row";
import { ApiError } from "../../../domain/errors";
import { actorCharsMax } from "../../../domain/limits";
import { projectContextOf } from "../../../domain/project-context";
import { ObjectText, parseKeepingTexts } from "../../../lib/object-text";
import { isLongerThan } from "../../../lib/text";
import type { AutomatedDay } from "../../../store/exports";
import type { DayOrigin } from "../../../store/imports";
import { acceptIdentity } from "../../fields";
import { isObject, type JsonObject } from "../../properties";
import { isRefusal } from "../../refusal";
import { countsOf } from "../day-counts";
import { acceptedRow } from "../event-row";
import { brokenFile } from "../file/broken";
import { type JsonRecord, jsonRecords } from "../file/json";
import type { FileEntry } from "../file/opened-file";
import type { ImportedRow, Importer, RowContent } from "../importer";
import { listsIn } from "../list";
import { recordTooLong, unreadable, unsupportedRow } from "../table";
import { isDate } from "../times";

/** The version of the lines that this server writes. */
const versionMax = 1;

/** A file that GET /export wrote: everything of a project, between a first line and a last one. */
export const sightline: Importer = {
  kind: "sightline",
  becomes: "both",
  recognizes: ({ head }) => head.format === "json" && head.records[0]?.kind === "sightline",
  async *read(file, { nowMs }) {
    for (const entry of listsIn(file)) yield* entryRows(entry, nowMs);
  },
};

async function* entryRows(entry: FileEntry, nowMs: number): AsyncGenerator<ImportedRow[]> {
  const frame = new Frame();
  for await (const records of jsonRecords(entry.read())) {
    const rows: ImportedRow[] = [];
    for (const record of records) {
      const line = lineOf(record);
      if (frame.takes(record, line)) {
        const timeMs = line?.first_deleted_at;
        if (line?.kind === "sightline" && isCount(timeMs) && timeMs <= nowMs) {
          rows.push({ line: record.line, kind: "first deleted", timeMs });
        }
        continue;
      }
      rows.push({ line: record.line, ...contentOf(record, line, nowMs) });
    }
    if (rows.length > 0) yield rows;
  }
  frame.checkEnd();
}

/** The object of a line, in which properties stay text: printed again, keys that are numbers would move. */
function lineOf({ text }: JsonRecord): JsonObject | null {
  if (text === null) return null;
  try {
    const value: unknown = parseKeepingTexts(text, "properties");
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The first and the last line, which say what the file is and that nothing of it is missing. */
class Frame {
  readonly #digest = createHash("sha256");
  #lines = 0;
  #isOver = false;

  /** Tells whether a line is one of the two. Throws where they do not fit the lines between. */
  takes({ text, line }: JsonRecord, object: JsonObject | null): boolean {
    if (this.#isOver)
      throw brokenFile(`Line ${line} comes after the last line of the export.`, line);
    if (object?.kind === "end") {
      this.#close(object, line);
      return true;
    }
    this.#digest.update(`${text}\n`);
    this.#lines++;
    if (this.#lines > 1) return false;
    this.#open(object, line);
    return true;
  }

  #open(first: JsonObject | null, line: number): void {
    if (first?.kind !== "sightline")
      throw brokenFile("The first line is not that of an export.", line);
    if (typeof first.version !== "number" || first.version > versionMax) {
      throw brokenFile(
        "A newer version of the server wrote the file. Update this one first.",
        line,
      );
    }
  }

  #close({ count, sha256 }: JsonObject, line: number): void {
    if (count !== this.#lines - 1 || sha256 !== this.#digest.digest("hex")) {
      throw brokenFile("The lines are not those that the last line counts. Export it again.", line);
    }
    this.#isOver = true;
  }

  checkEnd(): void {
    if (this.#isOver) return;
    throw brokenFile("The file has no line `end`: the export was cut short. Export it again.");
  }
}

function contentOf({ isTooLong }: JsonRecord, line: JsonObject | null, nowMs: number): RowContent {
  if (isTooLong) return recordTooLong;
  switch (line?.kind) {
    case "event":
      return eventOf(line, nowMs);
    case "identity":
      return identityOf(line);
    case "profile":
      return profileOf(line);
    case "context":
      return contextOf(line);
    case "bot_day":
      return botDayOf(line);
    case "day":
      return dayOf(line);
    // Sessions follow from events.
    case "session":
      return unsupportedRow;
    default:
      return unreadable;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** An export of an older version has no `event_id`. */
function eventOf(line: JsonObject, nowMs: number): RowContent {
  const { id, event, user_id, session_id, timestamp, country, properties } = line;
  const { project_id, event_id = null } = line;
  const texts = [user_id, session_id, country, event_id];
  const own = properties instanceof ObjectText || isObject(properties) ? properties : null;
  const hasProperties = own !== null || properties === null;
  if (!isText(id) || !isText(event) || !hasProperties || !texts.every(isTextOrNull)) {
    return unreadable;
  }
  const [userId, sessionId, place, eventId] = texts;
  const submitted = { event, properties: own, user_id: userId, session_id: sessionId };
  const all = { ...submitted, timestamp, event_id: eventId };
  const row = acceptedRow(all, place ?? null, nowMs, id);
  if (row.kind !== "event" || !isText(project_id)) return row;
  return { ...row, event: { ...row.event, projectId: project_id } };
}

function identityOf({ previous_id, user_id }: JsonObject): RowContent {
  if (!isText(previous_id) || !isText(user_id)) return unreadable;
  const identity = acceptIdentity({ previous_id, user_id });
  if (isRefusal(identity)) return { kind: "refused", code: identity.code };
  const { previousId, userId } = identity;
  return { kind: "identity", previousId, userId };
}

/** Addresses are hashed with keys of their project, so a file cannot bring them along. */
function profileOf({ user_id, traits, emails }: JsonObject): RowContent {
  if (!isText(user_id) || !isObject(traits)) return unreadable;
  const profile = acceptIdentity({ previous_id: user_id, user_id, traits });
  if (isRefusal(profile)) return { kind: "refused", code: profile.code };
  const row = { kind: "profile", userId: profile.userId, traits: profile.traits ?? {} } as const;
  return { ...row, emails: Array.isArray(emails) ? emails.length : 0 };
}

function contextOf({ kind: _, ...line }: JsonObject): RowContent {
  const verdict = ProjectContext["~standard"].validate(line);
  if (!("value" in verdict)) return unreadable;
  try {
    // Annotations get ids of this server.
    return { kind: "context", context: projectContextOf(verdict.value) };
  } catch (error) {
    if (error instanceof ApiError) return { kind: "refused", code: error.code };
    throw error;
  }
}

function botDayOf({ kind: _, ...line }: JsonObject): RowContent {
  const { date, category, actor, requests, dropped_events, last_seen_at } = line;
  const counts = [requests, dropped_events, last_seen_at];
  if (!isText(date) || !isDate(date) || !isText(category) || !isText(actor)) return unreadable;
  if (!counts.every(isCount) || isLongerThan(category + actor, 2 * actorCharsMax)) {
    return unreadable;
  }
  const [asked = 0, dropped = 0, seen = 0] = counts;
  const sums = { requests: asked, dropped_events: dropped, last_seen_at: seen };
  const day: AutomatedDay = { date, category, actor, ...sums };
  return { kind: "bot_day", day };
}

function dayOf({ kind: _, ...line }: JsonObject): RowContent {
  const { date, value } = line;
  const dimension = dayDimensions.find((name) => name === line.dimension);
  if (!isText(date) || !isDate(date) || dimension === undefined || !isText(value))
    return unreadable;
  const counts: Partial<Record<keyof DayCounts, number | null>> = {};
  for (const name of dayCounts) {
    const count = line[name] ?? null;
    if (count !== null && !isCount(count)) return unreadable;
    counts[name] = count;
  }
  const days = [{ date, dimension, value, ...countsOf(counts) }];
  if (line.import === undefined) return { kind: "days", days };
  const origin = originOf(line.import);
  return origin === null ? unreadable : { kind: "days", days, origin };
}

const idForm = /^[a-z0-9_]{1,64}$/;

/** The import that a line of days names. */
function originOf(value: unknown): DayOrigin | null {
  if (!isObject(value)) return null;
  const kind = dayImportKinds.find((one) => one === value.kind);
  const { id } = value;
  return kind === undefined || !isText(id) || !idForm.test(id) ? null : { kind, id };
}
