import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrationsOf } from "../migrations.macro";

const migrations = migrationsOf("control");

const run = (db: Database, from: number, to?: number) => {
  for (const { sql } of migrations.slice(from, to)) {
    for (const statement of sql.split("--> statement-breakpoint")) db.run(statement);
  }
};

test("annotations of before get an id each, and keep what they say", () => {
  const db = new Database(":memory:");
  const at = migrations.findIndex(({ tag }) => tag.endsWith("_project_times"));
  run(db, 0, at);
  const annotations = [
    { occurred_at: "2026-01-01T00:00:00.000Z", title: 'nul\0 "quoted" 😀', note: "n" },
    { occurred_at: "2026-01-02T00:00:00.000Z", title: "b" },
  ];
  const insert = db.query("insert into project_context (project_id, context) values (?, ?)");
  insert.run("proj_a", JSON.stringify({ goals: ["g"], annotations }));
  insert.run("proj_b", JSON.stringify({ goals: [], annotations: [] }));
  run(db, at);

  const rows = db.query("select context, updated_at from project_context order by project_id");
  const [a, b] = rows.all() as { context: string; updated_at: number | null }[];
  const context = JSON.parse(a?.context ?? "");
  const ids = context.annotations.map(({ id }: { id: string }) => id);
  expect(context).toEqual({
    goals: ["g"],
    annotations: annotations.map((one, index) => ({ ...one, id: ids[index] })),
  });
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^ann_[a-z0-9]{16}$/);
  expect([JSON.parse(b?.context ?? ""), b?.updated_at]).toEqual([
    { goals: [], annotations: [] },
    null,
  ]);
});
