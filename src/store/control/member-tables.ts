import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { grantedRoles, roles } from "../../domain/role";
import { account } from "./tables";

/** People, the accounts they are in, and how they sign in. Times are Unix ms; secrets are kept as SHA-256 only. */

/** A log-in. It is deleted together with its last membership. */
export const person = sqliteTable(
  "person",
  {
    id: text().primaryKey(),
    /** The address in its normal form (domain/identity.ts). */
    email: text().notNull(),
    passwordHash: text("password_hash").notNull(),
    /** May administer the server. That gives no right in accounts of others. */
    isAdmin: integer("is_admin", { mode: "boolean" }).notNull(),
    /** The address is the person's: an invitation, a link, an administrator or the set-up has proved it here. */
    isProven: integer("is_proven", { mode: "boolean" }).notNull().default(false),
    createdAtMs: integer("created_at").notNull(),
  },
  (table) => [uniqueIndex("person_email").on(table.email)],
);

/** A person's role in an account. Deleting the row revokes the person's key and agent sessions in that account. */
export const member = sqliteTable(
  "member",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    personId: text("person_id")
      .notNull()
      .references(() => person.id, { onDelete: "cascade" }),
    role: text({ enum: roles }).notNull(),
    /** The ids of the projects that the person may see; null for all projects of the account. */
    projects: text({ mode: "json" }).$type<readonly string[]>(),
    people: integer({ mode: "boolean" }).notNull(),
    joinedAtMs: integer("joined_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.personId] }),
    index("member_person").on(table.personId, table.joinedAtMs),
    uniqueIndex("member_owner").on(table.accountId).where(sql`role = 'owner'`),
    check("member_role", sql`${table.role} in ('viewer', 'editor', 'admin', 'owner')`),
  ],
);

/** A person has at most one key in each account, hence the primary key. */
export const apiKey = sqliteTable(
  "api_key",
  {
    accountId: text("account_id").notNull(),
    personId: text("person_id").notNull(),
    hash: text().notNull(),
    /** The first characters, by which a person recognizes it. */
    prefix: text().notNull(),
    createdAtMs: integer("created_at").notNull(),
    lastUsedAtMs: integer("last_used_at"),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.personId] }),
    foreignKey({
      name: "api_key_member",
      columns: [table.accountId, table.personId],
      foreignColumns: [member.accountId, member.personId],
    }).onDelete("cascade"),
    uniqueIndex("api_key_hash").on(table.hash),
  ],
);

/** A browser in which a person is logged in. */
export const cookieSession = sqliteTable(
  "cookie_session",
  {
    hash: text().primaryKey(),
    personId: text("person_id")
      .notNull()
      .references(() => person.id, { onDelete: "cascade" }),
    createdAtMs: integer("created_at").notNull(),
    /** Without further use. */
    expiresAtMs: integer("expires_at").notNull(),
    /** The last time at which the person gave the password, at the log-in or later. */
    confirmedAtMs: integer("confirmed_at").notNull().default(0),
    /** The way in which the person logged in. */
    via: text({ enum: ["password", "oidc"] })
      .notNull()
      .default("password"),
    /** The name by which a person knows the browser, such as "Firefox on Linux"; the header itself is not kept. */
    label: text(),
    /** The network of the browser when it logged in, as far as a person is shown it; the address itself is not kept. */
    network: text(),
  },
  (table) => [
    index("cookie_session_person").on(table.personId),
    index("cookie_session_expiry").on(table.expiresAtMs),
  ],
);

export type PersonRow = typeof person.$inferSelect;
export type MemberRow = typeof member.$inferSelect;
export type ApiKeyRow = typeof apiKey.$inferSelect;

/** An invitation that nobody has accepted yet. Accepting, revoking and replacing it delete the row. */
export const invitation = sqliteTable(
  "invitation",
  {
    id: text().primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    /** The address for which it is good, in its normal form. */
    email: text().notNull(),
    role: text({ enum: grantedRoles }).notNull(),
    projects: text({ mode: "json" }).$type<readonly string[]>(),
    people: integer({ mode: "boolean" }).notNull(),
    tokenHash: text("token_hash").notNull(),
    /** The address of the person who invited. */
    invitedBy: text("invited_by").notNull(),
    /** The message that brings it; null while mail is off. */
    mailId: text("mail_id"),
    createdAtMs: integer("created_at").notNull(),
    expiresAtMs: integer("expires_at").notNull(),
  },
  (table) => [
    uniqueIndex("invitation_token").on(table.tokenHash),
    uniqueIndex("invitation_address").on(table.accountId, table.email),
  ],
);

export type InvitationRow = typeof invitation.$inferSelect;
