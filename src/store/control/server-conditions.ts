import { asc, eq, gt } from "drizzle-orm";
import type { ConditionKind } from "../../domain/server-condition";
import { readBeside } from "../read-beside";
import { type ConditionRow, serverCondition } from "./condition-tables";
import type { ControlConnection } from "./database";

/** The conditions of the server. */
export function serverConditionQueries({ db }: ControlConnection) {
  const ofKind = (kind: ConditionKind) => eq(serverCondition.kind, kind);
  return {
    of: (kind: ConditionKind): ConditionRow | undefined =>
      db.select().from(serverCondition).where(ofKind(kind)).get(),
    /** Those that hold now, the longest first. */
    holding: (): readonly ConditionRow[] =>
      db
        .select()
        .from(serverCondition)
        .where(gt(serverCondition.severity, 0))
        .orderBy(asc(serverCondition.sinceMs), asc(serverCondition.kind))
        .all(),
    put(row: ConditionRow): void {
      db.insert(serverCondition)
        .values(row)
        .onConflictDoUpdate({ target: serverCondition.kind, set: row })
        .run();
    },
    drop: (kind: ConditionKind): void => {
      db.delete(serverCondition).where(ofKind(kind)).run();
    },
  };
}

/** Reads the titles of the conditions that hold, beside a running server. */
export const conditionsIn = (file: string): readonly string[] =>
  readBeside(file, (db) => {
    const table = db.query("select 1 from sqlite_schema where name = 'server_condition'").get();
    if (table === null) return [];
    const rows = db.query("select title from server_condition where severity > 0 order by since");
    return (rows.all() as { title: string }[]).map(({ title }) => title);
  }) ?? [];
