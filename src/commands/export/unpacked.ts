import { once } from "node:events";
import type { Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { CommandFailed, ServerLost } from "../remote/remote-error";
import { CheckedLines } from "./checked-lines";
import type { ExportPlan } from "./plan";

/** Looks at a file while it comes. */
export interface ExportChecker {
  /** The rows so far; null where the file does not count them. */
  readonly rows: number | null;
  push(bytes: Uint8Array): Promise<void>;
  /** Returns the number of rows, where the file says it. Throws where the file is not whole. */
  finish(): Promise<number | null>;
}

export const checkerOf = ({ format, compress }: ExportPlan): ExportChecker => {
  const plain = format === "jsonl" ? ofLines() : format === "parquet" ? ofParquet() : ofCsv();
  return compress === "none" ? plain : unpacking(plain, unpackers[compress]());
};

const unpackers = { gzip: () => createGunzip(), zstd: () => createZstdDecompress() };

function ofLines(): ExportChecker {
  const lines = new CheckedLines();
  return {
    get rows() {
      return lines.count;
    },
    push: async (bytes) => void lines.push(bytes),
    finish: async () => {
      lines.finish();
      return lines.count;
    },
  };
}

/** CSV has no last line that counts: it is whole where the connection says so. */
const ofCsv = (): ExportChecker => ({
  rows: null,
  push: async () => undefined,
  finish: async () => null,
});

/** A Parquet file ends with the four letters with which it begins. */
function ofParquet(): ExportChecker {
  let tail = "";
  return {
    rows: null,
    push: async (bytes) => {
      tail = (tail + Buffer.from(bytes.subarray(-4)).toString("latin1")).slice(-4);
    },
    finish: async () => {
      if (tail === "PAR1") return null;
      throw new ServerLost("The file broke off before its end.");
    },
  };
}

/** Unpacks the file on its way to be looked at. */
function unpacking(plain: ExportChecker, unpacker: Transform): ExportChecker {
  const ended = (async () => {
    for await (const bytes of unpacker) await plain.push(bytes);
  })();
  // The next push or finish throws the failure.
  ended.catch(() => undefined);
  return {
    get rows() {
      return plain.rows;
    },
    push: async (bytes) => {
      if (unpacker.destroyed) await ended.catch(damaged);
      if (!unpacker.write(bytes))
        await Promise.race([once(unpacker, "drain"), ended.catch(damaged)]);
    },
    finish: async () => {
      unpacker.end();
      await ended.catch(damaged);
      return plain.finish();
    },
  };
}

function damaged(error: unknown): never {
  if (error instanceof CommandFailed || error instanceof ServerLost) throw error;
  throw new ServerLost("The export broke off, or was damaged on its way: it cannot be unpacked.");
}
