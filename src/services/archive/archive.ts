/*
 * A file is written, read back and compared before its events go.
 * Decision: for each UTC date the events are written to one file; the file is read back, its SHA-256 is compared, and
 * the events are counted again; then control.db notes the file, and retention deletes the date. A stop before the
 * deletion repeats all of it, and the file is replaced by one that has as much or more.
 * Because: a target may say that it stored what it did not, and events may still arrive for a date.
 * Cost: a date is read once more from the target. The packed file of a date is in memory as a whole.
 * Revisit: when dates of 10 million events are usual: the target then needs files in parts.
 */

import { createHash } from "node:crypto";
import { isoDate } from "../../domain/event";
import { clock, dayMs, minuteMs } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import { eventsBeforeRead } from "../../reads/events-before";
import { archiveName } from "../../reads/export/archive";
import { noteArchived, numberOfNext } from "../../store/control/archived-files";
import type { Control } from "../../store/control/control";
import type { ProjectRow } from "../../store/control/tables";
import type { EventStore } from "../../store/port";
import type { Disk } from "../disk/disk";
import { datedFileOf } from "./dated-file";
import type { ArchivePlace } from "./place";

interface Parts {
  readonly control: Control;
  readonly store: EventStore;
  /** Null where the server has none. */
  readonly place: ArchivePlace | null;
  readonly disk: Pick<Disk, "refuseUnlessRoom">;
}

/** After a failure the place is left alone for this time. */
const restMs = 10 * minuteMs;
/** A date that changes while it is written is written again this often; then the next run tries. */
const triesMax = 3;

/** The file of a date is not as it was written, or the date does not come to rest. */
class ArchiveFailed extends Error {}

/** Writes dates to files before retention deletes their events. */
export class Archive {
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: Parts) {}

  get hasPlace(): boolean {
    return this.parts.place !== null;
  }

  /** Writes the events of a date. False where that failed: nothing of the date may be deleted then. */
  async write(project: ProjectRow, day: number): Promise<boolean> {
    const { retention } = this.parts.control;
    if (clock.nowMs() - this.#failedAtMs < restMs) return false;
    try {
      await this.#write(project, day);
    } catch (error) {
      this.#failedAtMs = clock.nowMs();
      const about = { project: project.id, date: isoDate(day), ...describeFault(error) };
      log("error", "a date was not archived, and is not deleted", about);
      if (!retention.archiveOf(project.id).isFailing)
        retention.setArchive(project.id, { isFailing: true });
      return false;
    }
    if (retention.archiveOf(project.id).isFailing)
      retention.setArchive(project.id, { isFailing: false });
    return true;
  }

  async #write(project: ProjectRow, day: number): Promise<void> {
    for (let tries = 0; tries < triesMax; tries++) {
      const events = await this.#writeOnce(project, day);
      if ((await this.#storedUntil(project.id, day)) === events) return;
    }
    throw new ArchiveFailed("events of the date go on arriving");
  }

  /** Returns how many events the file has. */
  async #writeOnce({ id: projectId, name }: ProjectRow, day: number): Promise<number> {
    const { control, store, place, disk } = this.parts;
    if (place === null) throw new ArchiveFailed("neither ARCHIVE_DIR nor BACKUP_URL is set");
    if (place.isInDataDir) disk.refuseUnlessRoom("archives");
    const file = await datedFileOf(store, { projectId, project: name, day });
    if (file.events === 0) return 0;
    const number = numberOfNext(control, projectId, day);
    const object = place.codec.closeFile(file.bytes);
    const sha256 = sha256Of(object);
    const path = `${place.prefix}${projectId}/${archiveName(day, number)}`;
    await place.target.put(path, object);
    const stored = await place.target.get(path);
    if (stored === null || sha256Of(stored) !== sha256) {
      throw new ArchiveFailed(`${place.name} does not have the file as it was written`);
    }
    const { events } = file;
    noteArchived(control, { projectId, day, number, events, bytes: object.length, sha256 });
    return events;
  }

  /** The stored events up to the end of a date: those of the dates before are deleted already. */
  async #storedUntil(projectId: string, day: number): Promise<number> {
    const input = { projectId, beforeMs: (day + 1) * dayMs };
    const { signal } = new AbortController();
    const request = { accountId: "retention", signal, arrivedAtMs: clock.nowMs() };
    const { json } = await this.parts.store.read(eventsBeforeRead, input, request);
    const { events }: { events: number } = JSON.parse(json);
    return events;
  }
}

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
