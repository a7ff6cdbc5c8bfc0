import type { BlockedIds } from "../../domain/blocked-ids";
import { userIdCharsMax } from "../../domain/limits";
import { isLongerThan } from "../../lib/text";
import { DiskLinks } from "../../store/shared/scratch/disk-links";
import type { ForeignEvent, ForeignIdentity, Unsupported } from "../foreign/item";
import type { JsonObject } from "../properties";
import type { Refusal } from "../refusal";
import { type ExportedItem, eventRow } from "./event-row";
import { jsonRecords, objectOf } from "./file/json";
import type { OpenedFile } from "./file/opened-file";
import type { ImportedRow, ReadOptions, RowContent } from "./importer";
import { listRows, listsIn } from "./list";
import { unsupportedRow } from "./table";

type Content = ForeignEvent | ForeignIdentity | Unsupported | Refusal;

/** How a product that identifies people in its event stream writes an event. */
export interface PeopleReader {
  content(object: JsonObject): Content;
  /** The item with what only an export has, and its country. */
  exported(item: ForeignEvent, object: JsonObject): ExportedItem;
}

/** Names of events that say that one id stands for another. */
const linking = /\$identify|\$create_alias/;

/**
 * Reads a file twice: ids that stand for one another anywhere in it do so in all of its rows, and a person may be
 * identified after the first events. The pairs are noted on disk.
 */
export async function* peopleRows(
  file: OpenedFile,
  { nowMs, blocked }: ReadOptions,
  reader: PeopleReader,
): AsyncGenerator<readonly ImportedRow[]> {
  const links = new DiskLinks(file.scratchPath);
  try {
    file.startPass(0, 2);
    for (const entry of listsIn(file)) {
      for await (const records of jsonRecords(entry.read())) {
        for (const record of records) {
          if (record.text === null || !linking.test(record.text)) continue;
          const object = objectOf(record);
          if (object !== null) noteLink(links, reader.content(object), blocked);
        }
      }
    }
    file.startPass(1, 2);
    for (const entry of listsIn(file)) {
      yield* listRows(entry, (object) => rowOf(object, reader, links, nowMs));
    }
  } finally {
    links.close();
  }
}

function noteLink(links: DiskLinks, content: Content, blocked: BlockedIds | null): void {
  if (content.kind !== "identity") return;
  const { previousId, userId } = content;
  if (previousId === null || userId === null || previousId === userId) return;
  const ids = [previousId, userId];
  if (ids.some((id) => isLongerThan(id, userIdCharsMax))) return;
  // As from /identify, no link to a blocked id is taken: it would give the rows of that id another name.
  if (blocked !== null && ids.some((id) => blocked.has(id))) return;
  links.link(previousId, userId);
}

function rowOf(
  object: JsonObject,
  reader: PeopleReader,
  links: DiskLinks,
  nowMs: number,
): RowContent {
  const content = reader.content(object);
  if (content.kind === "refused") return { kind: "refused", code: content.code };
  if (content.kind !== "event") return unsupportedRow;
  const { userId } = content;
  const item = { ...content, userId: userId === null ? null : links.canonical(userId) };
  return eventRow(reader.exported(item, object), nowMs);
}
