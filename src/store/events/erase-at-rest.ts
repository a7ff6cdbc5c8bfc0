import { ByteBoundedCache } from "../../lib/cache";
import { clock, minuteMs } from "../../lib/clock";
import { isLogCut, overwriteErased } from "../cleaning";
import { Eraser } from "./compact/erasing";
import { SegmentReader } from "./segment/segment-reader";
import { openForReading, openForWriting } from "./tables";
import { usualTuning } from "./tuning";
import { sweepRetired } from "./writer/sweep";
import { Writer } from "./writer/writer";

const namesOf = `
  select name from user where project_id = (select id from project where name = ?1)`;

/** Tells whether an id of a project has to be erased. */
type IsErased = (projectId: string, id: string) => boolean;

/** Erases people from an events file that no process has open. Returns the erased ids by project. */
export function eraseAtRest(
  file: string,
  projectIds: readonly string[],
  isErased: IsErased,
): ReadonlyMap<string, readonly string[]> {
  const db = openForWriting(file, "normal");
  const readDb = openForReading(file);
  try {
    const writer = new Writer(db);
    const found = new Map<string, readonly string[]>();
    for (const projectId of projectIds) {
      const ids: string[] = [];
      for (const row of readDb.query(namesOf).iterate(projectId)) {
        const { name } = row as { readonly name: string };
        if (isErased(projectId, name)) ids.push(name);
      }
      if (ids.length > 0) writer.erase(projectId, ids);
      found.set(projectId, ids);
    }
    const reader = new SegmentReader(readDb, new ByteBoundedCache(0), usualTuning);
    const eraser = new Eraser(readDb, reader, usualTuning);
    for (let isMore = true; isMore; ) {
      const { merges, erased, isMoreToCome } = eraser.find(() => true, []);
      writer.replace(merges);
      if (erased !== null) writer.noteErased(erased);
      isMore = isMoreToCome;
      reader.clearInfos();
    }
    // No read uses the replaced segments.
    const laterMs = clock.nowMs() + 2 * minuteMs;
    overwriteErased(db, laterMs, (untilMs) => sweepRetired(db, untilMs, laterMs));
    readDb.close();
    db.query("pragma wal_checkpoint(truncate)").get();
    isLogCut(db);
    db.query("pragma wal_checkpoint(truncate)").get();
    return found;
  } finally {
    readDb.close();
    db.close();
  }
}
