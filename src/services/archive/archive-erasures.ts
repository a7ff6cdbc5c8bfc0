/*
 * Files of the archive lose an erased person one after the other.
 * Decision: in the commit in which reads stop to show the person, control.db notes the projects and keyed digests of
 * the ids. A job then lists the files of each project, reads each one, and replaces those that have a line of the
 * person by one without; it removes a file in which nothing is left. Only then it removes the name from the list.
 * Because: the target may not answer for a while, and the content of a file shows whether the job has cleaned it: after
 * a stop at any step the same step just runs again. The last line of a file proves that nothing else in it was lost.
 * Cost: each erasure reads all files of the project once, and has a whole packed file in memory.
 * Revisit: when archives are so large that a day does not suffice: the list of files then needs the ids' digests.
 */

import { digestWith, erasedKeyOf } from "../../domain/erased-digest";
import { dayOf } from "../../domain/event";
import { clock, dayMs, minuteMs, secondMs } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { sha256Hex } from "../../lib/ids";
import { log } from "../../lib/log";
import { changeArchived } from "../../store/control/archived-files";
import type { Control } from "../../store/control/control";
import type { ArchiveErasureRow } from "../../store/control/erasure-tables";
import { ticketOfUlid, ticketTimeMs } from "../../store/shared/ticket";
import { ArchiveDamaged, type ArchivedLine, lookThrough } from "./cleaned-file";
import type { ArchivePlace } from "./place";

interface Parts {
  readonly control: Control;
  /** Null where the server has none. */
  readonly place: ArchivePlace | null;
}

/** One run works for this long, so that other jobs can run in between. */
const runMs = 10 * secondMs;
/** After a failure the job does not try an erasure again for this time. */
const restMs = 30 * minuteMs;
/** If files are missing for this long, their owner has removed them. */
const missingMsMax = 7 * dayMs;

/** Removes erased people from the files of the archive. */
export class ArchiveErasures {
  /** The times from which the erasures that have failed are tried again. */
  readonly #againAtMs = new Map<string, number>();

  constructor(private readonly parts: Parts) {}

  get hasPlace(): boolean {
    return this.parts.place !== null;
  }
  get isInDataDir(): boolean {
    return this.parts.place?.isInDataDir === true;
  }

  /** Continues all erasures. Returns whether it can do nothing more now. */
  async goOn(isStopped: () => boolean): Promise<boolean> {
    const { control, place } = this.parts;
    if (place === null) return true;
    const endMs = performance.now() + runMs;
    const isOver = (): boolean => isStopped() || performance.now() > endMs;
    for (const row of control.archiveErasures.all()) {
      if (clock.nowMs() < (this.#againAtMs.get(keyOf(row)) ?? 0)) continue;
      if (!(await this.#goOn(place, row, isOver))) return false;
    }
    return true;
  }

  /** Returns whether it can do nothing more for this erasure now. */
  async #goOn(
    place: ArchivePlace,
    row: ArchiveErasureRow,
    isOver: () => boolean,
  ): Promise<boolean> {
    const left = [...(row.files ?? [])];
    let isWell = true;
    try {
      if (row.files === null) left.push(...(await this.#filesOf(place, row)));
      for (let [name] = left; name !== undefined && !isOver(); [name] = left) {
        await this.#cleanFile(place, row, name);
        left.shift();
      }
    } catch (error) {
      isWell = false;
      this.#againAtMs.set(keyOf(row), clock.nowMs() + restMs);
      const [name = null] = left;
      const about = { erasure: row.erasureId, project: row.projectId, file: name };
      const what =
        "a file of the archive may still have a person who was erased; the server will try again";
      log("error", what, { ...about, ...describeFault(error) });
      // The next run begins with the other files.
      left.push(...left.splice(0, 1));
    }
    const isListed = row.files !== null || left.length > 0 || isWell;
    if (isListed) this.parts.control.archiveErasures.note(row, left);
    return !isWell || left.length === 0;
  }

  /** The names of the files of a project. Throws where the place does not answer, or has none of them. */
  async #filesOf(
    { target, prefix, name }: ArchivePlace,
    row: ArchiveErasureRow,
  ): Promise<string[]> {
    const folder = `${prefix}${row.projectId}/`;
    const names = (await target.list(folder)).map((one) => one.slice(folder.length));
    const files = names.filter((one) => fileForm.test(one));
    const { archiveErasures } = this.parts.control;
    const isMissing = files.length === 0 && archiveErasures.hasFiles(row.projectId);
    // A folder that is not mounted is empty too.
    if (isMissing && clock.nowMs() - row.atMs < missingMsMax) {
      throw new ArchiveDamaged(`${name} has no file of the project`);
    }
    return files;
  }

  async #cleanFile(
    { target, codec, prefix, name: placeName }: ArchivePlace,
    row: ArchiveErasureRow,
    name: string,
  ): Promise<void> {
    const { control } = this.parts;
    const path = `${prefix}${row.projectId}/${name}`;
    const stored = await target.get(path);
    // Its owner has removed it.
    if (stored === null) return;
    const file = { projectId: row.projectId, ...partsOf(name) };
    const { events, cleaned } = await lookThrough(codec.openFile(stored), this.#isErased(row));
    if (cleaned !== null && events === 0) {
      changeArchived(control, file, null);
      await target.remove(path);
      return;
    }
    const object = cleaned === null ? stored : codec.closeFile(cleaned.bytes);
    const sha256 = sha256Hex(object);
    if (cleaned !== null) {
      await target.put(path, object);
      const read = await target.get(path);
      if (read === null || sha256Hex(read) !== sha256) {
        throw new ArchiveDamaged(`${placeName} does not have the file as it was written`);
      }
    }
    // A stop may have come between the last file and its note.
    changeArchived(control, file, { events, bytes: object.length, sha256 });
  }

  /** Tells whether a line is the person's. A line with an id from after the erasure is somebody else's. */
  #isErased({ projectId, digests, atMs }: ArchiveErasureRow): (line: ArchivedLine) => boolean {
    const digestOf = digestWith(erasedKeyOf(this.parts.control.identitySecret));
    const erased = new Set(digests);
    return ({ id, user_id: userId }) =>
      userId !== null &&
      erased.has(digestOf(projectId, userId)) &&
      ticketTimeMs(ticketOfUlid(id)) <= atMs;
  }
}

const keyOf = ({ erasureId, projectId }: ArchiveErasureRow): string => `${erasureId} ${projectId}`;

/** The names of files of a date (reads/export/archive.ts). */
const fileForm = /^(\d{4}-\d\d-\d\d)(?:-(\d{1,9}))?\.jsonl\.zst$/;

function partsOf(name: string): { readonly day: number; readonly number: number } {
  const [, date = "", number = "1"] = fileForm.exec(name) ?? [];
  return { day: dayOf(Date.parse(date)), number: Number(number) };
}
