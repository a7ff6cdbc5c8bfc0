import { rmSync } from "node:fs";
import { join } from "node:path";
import { isoDate } from "../../../domain/event";
import { timeZoneOf } from "../../../domain/time-zone";
import type { CountDay, ImportWork } from "../../imports";
import { timeOfLine } from "../../shared/event-line";
import { openSnapshots } from "../read/snapshot";
import { CheckedFile } from "./checked-file";
import { countedDate } from "./counted-date";
import type { DayTable } from "./day-table";
import type { SortedRow } from "./sorted-rows";

const cacheBytes = 8 * 1024 * 1024;

interface FoldingParts {
  readonly work: ImportWork;
  readonly seed: bigint;
  readonly linkedTo: (userId: string) => string | null;
  readonly countDay: CountDay;
}

/** Counts events beyond the project's retention into days, as retention does with the events that it deletes. */
export class FoldedDays {
  private file: CheckedFile | null = null;
  private readonly path: string;
  private readonly days = new Set<number>();

  constructor(private readonly parts: FoldingParts) {
    this.path = join(parts.work.folder, "folded.db");
    this.remove();
  }

  dateOf(row: SortedRow): string {
    return isoDate(this.dayOf(row));
  }
  add(row: SortedRow): void {
    const { work, seed, linkedTo } = this.parts;
    this.file ??= new CheckedFile(this.path, work.projectId, seed, linkedTo);
    this.file.add(row);
    this.days.add(this.dayOf(row));
  }

  /** Counts all dates. Call it after the last event. */
  async addTo(table: DayTable): Promise<void> {
    if (this.file === null) return;
    this.file.finish();
    this.file = null;
    const { countDay, work } = this.parts;
    const { projectId, zone, ownHosts } = work;
    const snapshots = openSnapshots(this.path, cacheBytes, () => false);
    try {
      await snapshots.within(async (snapshot) => {
        for (const day of this.days) {
          const date = { projectId, day, zone, ownHosts };
          for (const row of await countedDate(countDay, snapshot, date)) table.add(row);
        }
      });
    } finally {
      snapshots.close();
    }
  }

  private dayOf({ line }: SortedRow): number {
    return timeZoneOf(this.parts.work.zone).dayAt(timeOfLine(line));
  }
  close(): void {
    this.file?.abandon();
    this.file = null;
    this.remove();
  }
  private remove(): void {
    for (const end of ["", "-wal", "-shm"]) rmSync(this.path + end, { force: true });
  }
}
