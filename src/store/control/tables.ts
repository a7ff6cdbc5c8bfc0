import { sql } from "drizzle-orm";
import {
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { type ExperimentVariant, experimentStatuses } from "../../domain/experiment";
import type { NamedGoal } from "../../domain/goals/definition";
import { timeZoneDefault } from "../../domain/time-zone-name";

/**
 * The data model of control.db, but for that of people and agents. Times are Unix ms; secrets are kept as SHA-256 only.
 */

export const account = sqliteTable(
  "account",
  {
    id: text().primaryKey(),
    /** The name that its owner gave it; null while the owner's address names it. */
    name: text(),
    tier: text({ enum: ["free", "pro"] }).notNull(),
    /** Has the rights of Pro whatever its tier. */
    complimentary: integer({ mode: "boolean" }).notNull(),
    /** The demo's: it has no members, and it counts nowhere. There is at most one. */
    isDemo: integer("is_demo", { mode: "boolean" }).notNull().default(false),
    createdAtMs: integer("created_at").notNull(),
    /** Members need a second factor to act in it by a browser. */
    requiresTwoFactor: integer("require_two_factor", { mode: "boolean" }).notNull().default(false),
    /** Set while it has fewer rights than it had: retention follows 30 days later. */
    lostProAtMs: integer("lost_pro_at"),
    /** Set: without members and credentials; erased once its projects are purged. */
    deletedAtMs: integer("deleted_at"),
  },
  (table) => [
    index("account_deleted").on(table.deletedAtMs).where(sql`deleted_at is not null`),
    uniqueIndex("account_demo").on(table.isDemo).where(sql`is_demo`),
    check("account_tier", sql`${table.tier} in ('free', 'pro')`),
  ],
);

export const project = sqliteTable(
  "project",
  {
    id: text().primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** Public: it stands in the pages of the site. */
    token: text().notNull(),
    /** `*`, or normalized origins joined by commas. */
    allowedOrigins: text("allowed_origins").notNull(),
    primaryDomain: text("primary_domain").notNull(),
    sourceScanId: text("source_scan_id"),
    replayEnabled: integer("replay_enabled", { mode: "boolean" }).notNull().default(false),
    /** IANA name of the zone by whose dates it is read. */
    timezone: text().notNull().default(timeZoneDefault),
    identify: text({ enum: ["any", "servers"] })
      .notNull()
      .default("any"),
    trust: text(), // policy of domain/trust/flagged.ts as JSON; null is the default
    /** The sum of its `project_reads`: lists of projects show it. */
    totalReads: integer("total_reads").notNull().default(0),
    createdAtMs: integer("created_at").notNull(),
    /** Set: hidden, its token dead, its name and origin free; purged 30 days later. */
    deletedAtMs: integer("deleted_at"),
  },
  (table) => [
    uniqueIndex("project_token").on(table.token),
    uniqueIndex("project_name").on(table.accountId, table.name).where(sql`deleted_at is null`),
    uniqueIndex("project_origin")
      .on(table.accountId, table.primaryDomain)
      .where(sql`deleted_at is null`),
    index("project_deleted").on(table.deletedAtMs).where(sql`deleted_at is not null`),
  ],
);
/** The meaning of a project's numbers, as JSON (domain/project-context.ts). */
export const projectContext = sqliteTable("project_context", {
  projectId: text("project_id")
    .primaryKey()
    .references(() => project.id, { onDelete: "cascade" }),
  context: text().notNull(),
  /** The time at which it was last written, later than that of the write before. Null where nobody noted it yet. */
  updatedAtMs: integer("updated_at"),
});

/** The meaning of the numbers of an account as a whole, as JSON. */
export const portfolioContext = sqliteTable("portfolio_context", {
  accountId: text("account_id")
    .primaryKey()
    .references(() => account.id, { onDelete: "cascade" }),
  context: text().notNull(),
});

/** Messages of people and their agents to the administrator. */
export const feedback = sqliteTable(
  "feedback",
  {
    id: text().primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    message: text().notNull(),
    project: text(),
    command: text(),
    context: text(),
    createdAtMs: integer("created_at").notNull(),
  },
  (table) => [
    index("feedback_time").on(table.createdAtMs),
    index("feedback_account").on(table.accountId),
  ],
);

/** Reads of a project per UTC date. */
export const projectReads = sqliteTable(
  "project_reads",
  {
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    date: text().notNull(),
    reads: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.date] })],
);

/** Reads of an account per UTC month, those that name no project included: what the monthly cap looks at. */
export const accountReads = sqliteTable(
  "account_reads",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    month: text().notNull(),
    reads: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.month] })],
);

/** An A/B test: assigned in the browser, measured from events, so nothing of it is counted here. */
export const experiment = sqliteTable(
  "experiment",
  {
    id: text().primaryKey(),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** The first is the control. */
    variants: text({ mode: "json" }).$type<readonly ExperimentVariant[]>().notNull(),
    goalEvent: text("goal_event").notNull(),
    /** The definition of the named goal at that time: a later change of the goal changes no experiment. */
    goal: text({ mode: "json" }).$type<NamedGoal>(),
    status: text({ enum: experimentStatuses }).notNull(),
    winner: text(),
    createdAtMs: integer("created_at").notNull(),
    updatedAtMs: integer("updated_at").notNull(),
    completedAtMs: integer("completed_at"),
  },
  (table) => [
    uniqueIndex("experiment_name").on(table.projectId, table.name),
    check("experiment_status", sql`${table.status} in ('active', 'paused', 'completed')`),
  ],
);

/** Projects of one account whose users may be the same people. */
export const portfolio = sqliteTable(
  "portfolio",
  {
    id: text().primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    slug: text().notNull(),
    name: text().notNull(),
    createdAtMs: integer("created_at").notNull(),
    updatedAtMs: integer("updated_at").notNull(),
  },
  (table) => [uniqueIndex("portfolio_slug").on(table.accountId, table.slug)],
);

/** A project is in one portfolio at most. Each time that it joins one is a membership of its own. */
export const portfolioMember = sqliteTable(
  "portfolio_member",
  {
    /** The event store finds what it keeps under a membership while that lasts, and never again. */
    id: text().primaryKey(),
    portfolioId: text("portfolio_id")
      .notNull()
      .references(() => portfolio.id, { onDelete: "cascade" }),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id, { onDelete: "cascade" }),
    addedAtMs: integer("added_at").notNull(),
  },
  (table) => [
    uniqueIndex("portfolio_member_project").on(table.projectId),
    index("portfolio_member_portfolio").on(table.portfolioId),
  ],
);

/** Memberships that ended, until the event store has deleted what it kept under them. */
export const endedMembership = sqliteTable("ended_membership", {
  id: text().primaryKey(),
  projectId: text("project_id").notNull(),
});

/** The payment provider's last word on an account. An account without a row has never paid. */
export const billing = sqliteTable(
  "billing",
  {
    accountId: text("account_id")
      .primaryKey()
      .references(() => account.id, { onDelete: "cascade" }),
    customerId: text("customer_id"),
    subscriptionId: text("subscription_id"),
    /** The one before: when it ends at last, that says nothing of the account. */
    formerSubscriptionId: text("former_subscription_id"),
    status: text({ enum: ["none", "active", "past_due", "canceled"] }).notNull(),
    periodEndsAtMs: integer("period_ends_at"),
    /** When the provider made the event that was applied last: older ones that come later change nothing. */
    eventAtMs: integer("event_at").notNull(),
  },
  (table) => [
    index("billing_customer").on(table.customerId),
    check("billing_status", sql`${table.status} in ('none', 'active', 'past_due', 'canceled')`),
  ],
);

/** Events of the payment provider that were received, so that a repeat changes nothing. */
export const billingEvent = sqliteTable(
  "billing_event",
  {
    id: text().primaryKey(),
    receivedAtMs: integer("received_at").notNull(),
  },
  (table) => [index("billing_event_received").on(table.receivedAtMs)],
);

/** The demo, from the first time that it is wanted until nobody wanted it for a week: one row, or none. */
export const demo = sqliteTable("demo", {
  accountId: text("account_id")
    .primaryKey()
    .references(() => account.id, { onDelete: "cascade" }),
  projectId: text("project_id").notNull(),
  /** The last of the dates that its events stand on. Null until the first seed is complete. */
  seededDate: text("seeded_date"),
  wantedAtMs: integer("wanted_at").notNull(),
});

/** The values that this installation made for itself, such as its identity secret. */
export const setting = sqliteTable("setting", {
  name: text().primaryKey(),
  value: text().notNull(),
});

export type AccountRow = typeof account.$inferSelect;
export type ProjectRow = typeof project.$inferSelect;
export type ExperimentRow = typeof experiment.$inferSelect;
export type PortfolioRow = typeof portfolio.$inferSelect;
export type BillingRow = typeof billing.$inferSelect;
