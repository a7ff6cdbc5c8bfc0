import { type FileHandle, open } from "node:fs/promises";
import { CommandFailed } from "../remote/remote-error";

/** The place where an export is written. */
export interface ExportTarget {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Opens a file whose old content is overwritten. */
export async function newFile(path: string): Promise<ExportTarget> {
  return fileTarget(await opened(path, "w"), 0);
}

/** Opens a file to go on after its first bytes; what follows them is cut off. */
export async function continuedFile(path: string, size: number): Promise<ExportTarget> {
  const file = await opened(path, "r+");
  await file.truncate(size);
  return fileTarget(file, size);
}

async function opened(path: string, flags: "w" | "r+"): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    throw new CommandFailed(
      `Cannot write ${path} (${code}). Pass --out with a file in a folder where you may write.`,
    );
  }
}

function fileTarget(file: FileHandle, from: number): ExportTarget {
  let at = from;
  return {
    write: async (bytes) => {
      for (let done = 0; done < bytes.byteLength; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, at);
        done += bytesWritten;
        at += bytesWritten;
      }
    },
    close: () => file.close(),
  };
}

export const standardOutput: ExportTarget = {
  write: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) =>
        error ? reject(new CommandFailed("Standard output was closed.")) : resolve(),
      );
    }),
  close: async () => undefined,
};
