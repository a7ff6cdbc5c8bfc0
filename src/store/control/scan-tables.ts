import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { account, project } from "./tables";

/** Website scans. Times are Unix ms; the resume token is kept as SHA-256 only. */
export const websiteScan = sqliteTable(
  "website_scan",
  {
    id: text().primaryKey(),
    /** The owner; null while it is an anonymous preview that nobody has taken over. */
    accountId: text("account_id").references(() => account.id, { onDelete: "cascade" }),
    projectId: text("project_id").references(() => project.id, { onDelete: "set null" }),
    status: text({ enum: ["pending", "running", "succeeded", "failed"] }).notNull(),
    mode: text({ enum: ["anonymous_preview", "authenticated_preview", "full"] }).notNull(),
    normalizedUrl: text("normalized_url").notNull(),
    hostname: text().notNull(),
    resumeHash: text("resume_hash"),
    /** Plans as JSON, in the form of the answer. */
    preview: text(),
    result: text(),
    /** What the pages say of our snippet, as JSON; what that means is looked up whenever it is asked for. */
    snippet: text(),
    createdAtMs: integer("created_at").notNull(),
    /** When it was made full, or began to be: the month whose quota it uses. */
    fullAtMs: integer("full_at"),
  },
  (table) => [
    index("website_scan_host").on(table.hostname, table.createdAtMs),
    index("website_scan_account").on(table.accountId, table.fullAtMs),
    index("website_scan_created").on(table.createdAtMs),
    index("website_scan_unfinished").on(table.status).where(sql`status in ('pending', 'running')`),
    check(
      "website_scan_status",
      sql`${table.status} in ('pending', 'running', 'succeeded', 'failed')`,
    ),
    check(
      "website_scan_mode",
      sql`${table.mode} in ('anonymous_preview', 'authenticated_preview', 'full')`,
    ),
  ],
);

export type ScanRow = typeof websiteScan.$inferSelect;
