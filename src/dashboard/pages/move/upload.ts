import type { Project } from "../../data/answers";
import { call, Refusal } from "../../data/api";
import type { ImportAnswer } from "../../data/move-answers";
import { Sha256 } from "../../lib/sha256";

/** The server takes parts of at most 8 MiB; smaller ones show more often how far it is. */
const partBytes = 4 * 1024 * 1024;
/** A part that does not get through is sent again, this often and after these pauses. */
const pausesMs = [1_000, 4_000, 10_000];
const nameCharsMax = 256;

/** How far an upload is. */
export interface UploadStep {
  readonly text: string;
  readonly done: number;
  readonly total: number;
}

export interface Upload {
  readonly project: Project;
  readonly file: File;
  /** The options of the check, by the names of the API. */
  readonly options: Readonly<Record<string, string>>;
  readonly show: (step: UploadStep) => void;
  readonly signal: AbortSignal;
}

export const pathOfImport = (id: string): string => `/imports/${encodeURIComponent(id)}`;

/** Sends what the server lacks of a file, and has it checked. Returns the id of its import. */
export async function upload(asked: Upload): Promise<string> {
  const { options, signal } = asked;
  const begun = await announced(asked);
  if (begun.state !== "uploading") return begun.id;
  await send(asked, begun);
  const { kind: _, ...body } = options;
  await call({ method: "POST", path: `${pathOfImport(begun.id)}/check`, body }, signal);
  return begun.id;
}

/** Returns the import that the server has of the file: one that is as yet empty, or one from before. */
async function announced({ project, file, options, show, signal }: Upload): Promise<ImportAnswer> {
  const sha256 = await hashOf(file, show, signal);
  const name = file.name.slice(0, nameCharsMax);
  const body = { project: project.name, size: file.size, sha256, name, ...options };
  try {
    return (await call<ImportAnswer>({ method: "POST", path: "/imports", body }, signal)).answer;
  } catch (error) {
    const known = error instanceof Refusal && error.code === "IMPORT_EXISTS";
    if (!known || typeof error.more.import !== "string") throw error;
    const path = pathOfImport(error.more.import);
    return (await call<ImportAnswer>({ method: "GET", path }, signal)).answer;
  }
}

async function hashOf(file: File, show: Upload["show"], signal: AbortSignal): Promise<string> {
  const hash = new Sha256();
  for (let at = 0; at < file.size; at += partBytes) {
    signal.throwIfAborted();
    hash.update(new Uint8Array(await file.slice(at, at + partBytes).arrayBuffer()));
    show({ text: "Reading the file", done: Math.min(at + partBytes, file.size), total: file.size });
  }
  return hash.digest();
}

async function send({ file, show, signal }: Upload, { id, received }: ImportAnswer): Promise<void> {
  const path = `${pathOfImport(id)}/data`;
  for (let at = received; at < file.size; ) {
    show({ text: "Uploading", done: at, total: file.size });
    const bytes = file.slice(at, at + partBytes);
    const next = await withPatience(() => sendPart(path, at, bytes, signal), signal);
    if (next <= at) throw new Error("The server did not store the last part. Start again.");
    at = next;
  }
  show({ text: "Uploading", done: file.size, total: file.size });
}

/** Returns how much the server has: it says so, too, where it is not what we believed. */
async function sendPart(
  path: string,
  offset: number,
  bytes: Blob,
  signal: AbortSignal,
): Promise<number> {
  try {
    const request = { method: "PUT", path, query: { offset }, bytes } as const;
    return (await call<{ received: number }>(request, signal)).answer.received;
  } catch (error) {
    const isElsewhere = error instanceof Refusal && error.code === "IMPORT_STATE";
    if (!isElsewhere || typeof error.more.received !== "number") throw error;
    return error.more.received;
  }
}

/** Tries again where the connection or the server is away for a moment. */
async function withPatience<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof Refusal && (error.status === 0 || error.status >= 502);
      if (!isAway || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return work();
}
