/*
 * Files of the archive lose an erased person one after the other.
 * Decision: in the commit in which reads stop to show the person, control.db notes the projects and keyed digests of
 * the ids. A job then lists the files of each project, reads each one through, and replaces those that have a line of
 * the person by one without; a file of which nothing is left is removed. Only then its name is crossed off.
 * Because: the target may not answer for a while, and a file tells by itself whether it was done: after a stop at any
 * step the same step just runs again. Its last line proves that nothing else of it was lost.
 * Cost: all files of the project are read once for each erasure, a packed file in memory as a whole.
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

/** One run works for this long, so that other jobs run between. */
const runMs = 10 * secondMs;
/** After a failure an erasure is left alone for this time. */
const restMs = 30 * minuteMs;
/** Files that are not there for this long were taken away by their owner. */
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

  /** Goes on with what is left. Returns whether that is nothing which can be done now. */
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

  /** Returns whether nothing is left that can be done now. */
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
        "a file of the archive may still have a person who was erased; it is tried again";
      log("error", what, { ...about, ...describeFault(error) });
      // The others come first when it goes on.
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
      throw new ArchiveDamaged(`${name} has none of the files of the project`);
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
    // Its owner has taken it away.
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

  /** Tells of a line whether it is the person's. One with a later id than the erasure is of somebody new. */
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
