import { existsSync } from "node:fs";
import { join } from "node:path";
import { databaseName, folderName } from "../replay-places";
import { ReplayFiles } from "./files";
import { openForWriting } from "./tables";

const recorded = "select number, session_id as sessionId from replay where project_id = ?";
const eraseRows = [
  "delete from segment where replay = ?",
  "delete from timeline where replay = ?",
  "delete from replay where number = ?",
];

/** Erases recordings from a folder that no server has open. */
export function eraseRecordingsAtRest(
  dataDir: string,
  projectIds: readonly string[],
  isErased: (projectId: string, sessionId: string) => boolean,
): void {
  const file = join(dataDir, databaseName);
  if (!existsSync(file)) return;
  const files = new ReplayFiles(join(dataDir, folderName));
  const db = openForWriting(file, "normal");
  try {
    for (const projectId of projectIds) {
      const rows = db.query(recorded).all(projectId) as { number: number; sessionId: string }[];
      for (const { number, sessionId } of rows) {
        if (!isErased(projectId, sessionId)) continue;
        for (const statement of eraseRows) db.query(statement).run(number);
        files.remove(number);
      }
    }
    db.run("vacuum");
    db.query("pragma wal_checkpoint(truncate)").get();
  } finally {
    db.close();
  }
}
