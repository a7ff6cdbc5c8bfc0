import type { Database } from "bun:sqlite";

/**
 * Begins a transaction on two connections, such that both see one and the same state of the file until `letGo`.
 *
 * SQLite has no call for that here, but it tells a connection whether others have committed between two looks of its
 * own. If none has, what the first connection took hold of between the two looks of the second is what the second one
 * has. A commit falls into these ten microseconds seldom; then both try once more, unless `check` throws.
 */
export function holdOneState(first: Database, second: Database, check: () => void): void {
  for (;;) {
    const before = versionOf(second);
    first.run("begin");
    versionOf(first); // a transaction takes hold of its state with its first statement
    second.run("begin");
    if (versionOf(second) === before) return;
    letGo(first, second);
    check();
  }
}

/** Nothing was written. */
export function letGo(...connections: readonly Database[]): void {
  for (const db of connections) if (db.inTransaction) db.run("rollback");
}

/** Of the file, as this connection sees it: another number than before when others have committed since. */
const versionOf = (db: Database): number =>
  (db.query("pragma data_version").get() as { data_version: number }).data_version;
