import type { Database } from "bun:sqlite";
import { noteErasedBytes } from "../cleaning";
import type { ReplayThreads } from "./threads";

const forgetReplay = `
  delete from replay where project_id = ? and session_id = ? and status = 'deleted'`;

/** Removes what a deleted recording leaves: the row that says that there was one. */
export function forgetSessions(
  db: Database,
  projectId: string,
  sessionIds: readonly string[],
  nowMs: number,
): void {
  db.transaction(() => {
    for (const sessionId of sessionIds) db.query(forgetReplay).run(projectId, sessionId);
    noteErasedBytes(db, nowMs);
  }).immediate();
}

const sessionsPerStep = 500;

/** Erases all recordings of some sessions. `tend` deletes what is marked, with its files. */
export async function eraseSessions(
  { writer }: Pick<ReplayThreads, "writer">,
  tend: () => Promise<void>,
  projectId: string,
  sessionIds: readonly string[],
): Promise<void> {
  for (const sessionId of sessionIds) await writer.ask({ kind: "remove", projectId, sessionId });
  await tend();
  for (let at = 0; at < sessionIds.length; at += sessionsPerStep) {
    const some = sessionIds.slice(at, at + sessionsPerStep);
    await writer.ask({ kind: "forget sessions", projectId, sessionIds: some });
  }
}

/** Overwrites the remaining bytes of erased recordings. Resolves with false while it has to wait. */
export async function cleanFiles(
  { writer }: Pick<ReplayThreads, "writer">,
  copyLog: () => Promise<void>,
): Promise<boolean> {
  if (!(await writer.ask<boolean>({ kind: "overwrite erased" }))) return false;
  await copyLog();
  return writer.ask<boolean>({ kind: "is log cut" });
}
