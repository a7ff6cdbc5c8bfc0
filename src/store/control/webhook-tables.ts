import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import {
  deliveryErrors,
  deliveryStates,
  type WebhookEvent,
  webhookKinds,
} from "../../domain/webhook/events";
import { account, project } from "./tables";

/** An address that is told of what happens. Times are Unix ms. */
export const webhook = sqliteTable(
  "webhook",
  {
    id: text().primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    /** The project of which alone it tells; null for all. */
    projectId: text("project_id").references(() => project.id, { onDelete: "cascade" }),
    name: text().notNull(),
    kind: text({ enum: webhookKinds }).notNull(),
    /** Encrypted: who has the address of a chat may write there. */
    sealedUrl: text("sealed_url").notNull(),
    /** Null for all. */
    events: text({ mode: "json" }).$type<readonly WebhookEvent[]>(),
    /** Encrypted, as it signs. Null where nothing is signed. */
    sealedSecret: text("sealed_secret"),
    /** The secret of before a rotation, which signs too until then. */
    sealedFormerSecret: text("sealed_former_secret"),
    formerUntilMs: integer("former_until"),
    enabled: integer({ mode: "boolean" }).notNull().default(true),
    disabledReason: text("disabled_reason", { enum: ["owner", "gone", "failing"] }),
    /** Since when nothing was delivered. */
    failingSinceMs: integer("failing_since"),
    createdAtMs: integer("created_at").notNull(),
  },
  (table) => [
    index("webhook_account").on(table.accountId, table.createdAtMs),
    check("webhook_kind", sql`${table.kind} in ('signed', 'slack', 'discord')`),
  ],
);

/** A message on its way to one webhook. */
export const webhookDelivery = sqliteTable(
  "webhook_delivery",
  {
    id: text().primaryKey(),
    webhookId: text("webhook_id")
      .notNull()
      .references(() => webhook.id, { onDelete: "cascade" }),
    type: text().notNull(),
    /** The message as JSON, from which each try writes the body. */
    message: text().notNull(),
    state: text({ enum: deliveryStates }).notNull(),
    tries: integer().notNull().default(0),
    status: integer(),
    error: text({ enum: deliveryErrors }),
    ms: integer(),
    createdAtMs: integer("created_at").notNull(),
    dueAtMs: integer("due_at").notNull(),
  },
  (table) => [
    index("webhook_delivery_due").on(table.dueAtMs).where(sql`state = 'queued'`),
    index("webhook_delivery_webhook").on(table.webhookId, table.createdAtMs),
    check("webhook_delivery_state", sql`${table.state} in ('queued', 'delivered', 'failed')`),
  ],
);

export type WebhookRow = typeof webhook.$inferSelect;
export type DeliveryRow = typeof webhookDelivery.$inferSelect;
