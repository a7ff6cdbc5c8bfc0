import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { actorKinds, auditActions } from "../../domain/audit";
import { account } from "./tables";

/** The audit log: what was changed, by whom. No operation changes an entry. */
export const auditEntry = sqliteTable(
  "audit_entry",
  {
    id: text().primaryKey(),
    /** The account that it concerns; null for what concerns the server. */
    accountId: text("account_id").references(() => account.id, { onDelete: "cascade" }),
    atMs: integer("at").notNull(),
    /** The project that it concerns, for members who may see some of the projects. A deleted one keeps its entries. */
    projectId: text("project_id"),
    actorKind: text("actor_kind", { enum: actorKinds }).notNull(),
    actorId: text("actor_id"),
    actorEmail: text("actor_email"),
    action: text({ enum: auditActions }).notNull(),
    targetType: text("target_type").notNull(),
    targetId: text("target_id").notNull(),
    targetName: text("target_name"),
    details: text({ mode: "json" }).$type<Readonly<Record<string, unknown>>>().notNull(),
    /** The network of a sign-in: 24 bits of IPv4 or 48 of IPv6. Null for every other action. */
    network: text(),
  },
  (table) => [
    index("audit_entry_newest").on(table.accountId, table.atMs, table.id),
    index("audit_entry_action").on(table.accountId, table.action, table.atMs, table.id),
    index("audit_entry_time").on(table.atMs),
  ],
);
