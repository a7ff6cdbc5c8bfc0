import { archiveExport } from "../../reads/export/archive";
import type { ExportStream } from "../../store/exports";
import type { EventStore } from "../../store/port";
import { packed } from "./packed";

/** The events of a date, packed. */
export interface DatedFile {
  readonly bytes: Uint8Array;
  readonly events: number;
}

interface Date {
  readonly projectId: string;
  readonly project: string;
  /** UTC, in days since 1970-01-01. */
  readonly day: number;
}

/** More than the last line of a file has, which says how many events there are. */
const lastLineBytesMax = 1_024;

/** Writes the events of a date as one packed file. */
export async function datedFileOf(
  store: Pick<EventStore, "openExport">,
  date: Date,
): Promise<DatedFile> {
  const stream = await store.openExport(archiveExport, date);
  try {
    const end = new End();
    const bytes = await packed(end.of(stream));
    return { bytes, events: end.events };
  } finally {
    stream.close();
  }
}

/** Reads the number of events from the last line of a file on its way. */
class End {
  #tail = Buffer.alloc(0);

  async *of(stream: ExportStream): AsyncGenerator<Uint8Array> {
    for (let bytes = await stream.next(); bytes !== null; bytes = await stream.next()) {
      this.#tail = Buffer.concat([this.#tail, bytes]).subarray(-lastLineBytesMax);
      yield bytes;
    }
  }

  get events(): number {
    const line = this.#tail.toString("utf8").trimEnd().split("\n").at(-1) ?? "";
    const { count }: { count: number } = JSON.parse(line);
    return count;
  }
}
