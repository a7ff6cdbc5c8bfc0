import { Database } from "bun:sqlite";
import { commandLine } from "../../domain/audit";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";

/** The columns that every version with backups has: a restored file stays one of the version that wrote it. */
const ENTRY = `
  insert into audit_entry (id, at, actor_kind, action, target_type, target_id, details)
  values (:id, :at, :kind, 'restored', 'backup', :line, :details)`;

/** Enters in a restored control.db that it was restored, and to which moment. */
export function noteRestored(file: string, { line, atMs }: { line: string; atMs: number }): void {
  const client = new Database(file, { readwrite: true, strict: true });
  try {
    const details = JSON.stringify({ to: new Date(atMs).toISOString() });
    const at = clock.nowMs();
    client.query(ENTRY).run({ id: newId("aud"), at, kind: commandLine.kind, line, details });
    client.run("pragma wal_checkpoint(truncate)");
  } finally {
    client.close();
  }
}
