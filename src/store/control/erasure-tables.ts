import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { account, project } from "./tables";

/** The counts of a person's data, taken before the erasure. */
export interface ErasureCounts {
  readonly ids: number;
  readonly events: number;
  readonly sessions: number;
  readonly replays: number;
  readonly held: number;
  readonly traits: number;
}

/** People whose data is being erased, or was. No row says who they were. Times are Unix ms. */
export const erasure = sqliteTable(
  "erasure",
  {
    id: text().primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    /** The account's own words for the request. */
    reference: text(),
    /** The address of the person who asked for it. */
    requestedBy: text("requested_by"),
    /** Its ids are blocked: the project excludes their events. */
    blocks: integer({ mode: "boolean" }).notNull().default(false),
    counts: text({ mode: "json" }).$type<ErasureCounts>().notNull(),
    /** The ids and sessions by project, encrypted; null once no file has anything of them. */
    sealedWork: text("sealed_work"),
    requestedAtMs: integer("requested_at").notNull(),
    /** Since then no read shows anything of the person. */
    hiddenAtMs: integer("hidden_at"),
    erasedAtMs: integer("erased_at"),
    /** Copies that are older have what was erased. */
    backupsUntilMs: integer("backups_until"),
  },
  (table) => [
    index("erasure_account").on(table.accountId, table.requestedAtMs),
    index("erasure_running").on(table.requestedAtMs).where(sql`erased_at is null`),
  ],
);

/** Keyed digests of the ids of erased people whose events a project excludes. */
export const blockedId = sqliteTable(
  "blocked_id",
  {
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    digest: text().notNull(),
    /** The erasure may be that of another project, which was deleted since. */
    erasureId: text("erasure_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.digest] }),
    index("blocked_id_erasure").on(table.erasureId),
  ],
);

/** Projects whose archived files may still have a person who was erased. */
export const archiveErasure = sqliteTable(
  "archive_erasure",
  {
    erasureId: text("erasure_id").notNull(),
    /** The files outlive their project. */
    projectId: text("project_id").notNull(),
    /** Keyed digests of the ids. */
    digests: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    /** Events that the server stored later belong to somebody new. */
    atMs: integer("at").notNull(),
    /** The names of the files that are left; null before they are listed. */
    files: text({ mode: "json" }).$type<readonly string[]>(),
  },
  (table) => [primaryKey({ columns: [table.erasureId, table.projectId] })],
);
export type ArchiveErasureRow = typeof archiveErasure.$inferSelect;

export type ErasureRow = typeof erasure.$inferSelect;
