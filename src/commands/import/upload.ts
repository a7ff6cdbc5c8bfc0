import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { basename } from "node:path";
import { bytesText, Progress } from "../remote/progress";
import { CommandFailed, RefusedByServer } from "../remote/remote-error";
import type { RemoteServer } from "../remote/remote-server";
import type { FilePlan } from "./plan";
import type { RemoteImport } from "./remote-import";

/** The server takes parts of at most this size. */
const partBytesMax = 8 * 1024 * 1024;

/** Reads the file, and announces it to the server. Returns the import that the server has of it, new or old. */
export async function announced(server: RemoteServer, plan: FilePlan): Promise<RemoteImport> {
  const { file, project, kind, check } = plan;
  const size = sizeOf(file);
  const sha256 = await hashOf(file, size);
  const name = basename(file);
  const body = { project, size, sha256, name, ...(kind !== undefined && { kind }), ...check };
  try {
    return await server.json<RemoteImport>("imports", "POST", body);
  } catch (error) {
    const known = error instanceof RefusedByServer && error.code === "IMPORT_EXISTS";
    if (!known || typeof error.answer.import !== "string") throw error;
    return server.json<RemoteImport>(`imports/${error.answer.import}`);
  }
}

/** Sends the parts that the server lacks. */
export async function uploaded(
  server: RemoteServer,
  file: string,
  begun: RemoteImport,
): Promise<void> {
  const progress = new Progress("Upload", bytesText);
  const { id, size } = begun;
  for (let at = begun.received; at < size; ) {
    const part = await Bun.file(file)
      .slice(at, Math.min(size, at + partBytesMax))
      .arrayBuffer();
    const next = await receivedAfter(server, id, at, new Uint8Array(part));
    if (next <= at) throw new CommandFailed(`The server did not store the part at byte ${at}.`);
    at = next;
    progress.show({ done: at, total: size });
  }
  progress.end();
}

/** Returns how much the server has. Where it has more or less than we believed, it says so. */
async function receivedAfter(
  server: RemoteServer,
  id: string,
  at: number,
  body: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const path = `imports/${id}/data?offset=${at}`;
  const request = { method: "PUT", body, type: "application/octet-stream" };
  try {
    return (await server.answer<{ received: number }>(path, request)).received;
  } catch (error) {
    const isElsewhere = error instanceof RefusedByServer && error.code === "IMPORT_STATE";
    if (!isElsewhere || typeof error.answer.received !== "number") throw error;
    return error.answer.received;
  }
}

function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === true) return found.size;
  throw new CommandFailed(`There is no file ${file}.`);
}

async function hashOf(file: string, size: number): Promise<string> {
  const progress = new Progress("Read", bytesText);
  const hash = createHash("sha256");
  let done = 0;
  for await (const bytes of Bun.file(file).stream()) {
    hash.update(bytes);
    done += bytes.byteLength;
    progress.show({ done, total: size });
  }
  progress.end();
  return hash.digest("hex");
}
