import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { member } from "./member-tables";
import { account } from "./tables";

/** How machines sign in. Times are Unix ms; secrets are kept as SHA-256 only. */

/** The fields with which a client describes itself when it asks; a session keeps them. */
const client = {
  clientType: text("client_type").notNull(),
  clientName: text("client_name"),
  clientInstanceId: text("client_instance_id"),
  label: text(),
  /** Joined by spaces. */
  scopes: text().notNull(),
  /** Set where it signs in by OAuth: an id of `oauth_client`, or the address of the client's document. */
  oauthClientId: text("oauth_client_id"),
  /** The scope of the tokens of such a client: `/mcp` alone, or everything. */
  resource: text({ enum: ["mcp", "all"] }),
};

/** A machine that asks, until a person has answered and it has come for its tokens. */
export const authRequest = sqliteTable(
  "auth_request",
  {
    id: text().primaryKey(),
    mode: text({ enum: ["interactive", "detached"] }).notNull(),
    /** A request whose time is over is told by `expiresAtMs` alone: `expired` is no stored state. */
    state: text({ enum: ["pending", "approved", "exchanged", "revoked"] }).notNull(),
    ...client,
    callbackUrl: text("callback_url"),
    /** SHA-256 of the verifier, 64 hexadecimal digits. */
    codeChallenge: text("code_challenge"),
    metadata: text(),
    /** The `state` of OAuth, which goes back to the client as it came. */
    oauthState: text("oauth_state"),
    /** The scopes of OAuth that the person may add, joined by spaces. */
    offeredScopes: text("offered_scopes"),
    /** Shown by the client and on the page, for a person to compare. */
    approvalCode: text("approval_code").notNull(),
    pollTokenHash: text("poll_token_hash").notNull(),
    /** The account for which it was approved, and the person who approved. */
    accountId: text("account_id").references(() => account.id, { onDelete: "cascade" }),
    personId: text("person_id"),
    exchangeCodeHash: text("exchange_code_hash"),
    /** The code itself, encrypted, while it can be used: a poll returns it. */
    exchangeCodeSealed: text("exchange_code_sealed"),
    wrongCodes: integer("wrong_codes").notNull().default(0),
    /** The session that an OAuth code was exchanged for: it ends when the code comes again. */
    sessionId: text("session_id"),
    createdAtMs: integer("created_at").notNull(),
    /** Until then a person may approve; once approved, until then the code may be used. */
    expiresAtMs: integer("expires_at").notNull(),
  },
  (table) => [
    foreignKey({
      name: "auth_request_member",
      columns: [table.accountId, table.personId],
      foreignColumns: [member.accountId, member.personId],
    }).onDelete("cascade"),
    index("auth_request_account").on(table.accountId).where(sql`account_id is not null`),
    index("auth_request_expiry").on(table.expiresAtMs),
    uniqueIndex("auth_request_code")
      .on(table.exchangeCodeHash)
      .where(sql`exchange_code_hash is not null`),
    check(
      "auth_request_state",
      sql`${table.state} in ('pending', 'approved', 'exchanged', 'revoked')`,
    ),
  ],
);

/** A machine that is signed in. */
export const agentSession = sqliteTable(
  "agent_session",
  {
    id: text().primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id, { onDelete: "cascade" }),
    /** The member who approved it; null for sessions of the demo, which has no members. */
    personId: text("person_id"),
    ...client,
    /** The hash of the refresh token; null for sessions of the demo, which cannot be refreshed. */
    refreshHash: text("refresh_hash"),
    createdAtMs: integer("created_at").notNull(),
    lastUsedAtMs: integer("last_used_at").notNull(),
    /** The end of the newest access token. */
    accessExpiresAtMs: integer("access_expires_at").notNull(),
    /** The session ends then, unless it is refreshed before. */
    refreshExpiresAtMs: integer("refresh_expires_at").notNull(),
    revokedAtMs: integer("revoked_at"),
  },
  (table) => [
    foreignKey({
      name: "agent_session_member",
      columns: [table.accountId, table.personId],
      foreignColumns: [member.accountId, member.personId],
    }).onDelete("cascade"),
    uniqueIndex("agent_session_refresh").on(table.refreshHash),
    index("agent_session_account").on(table.accountId, table.createdAtMs),
    index("agent_session_expiry").on(table.refreshExpiresAtMs),
  ],
);

/** A session has several at a time: one client refreshes in parallel, and earlier ones live out their hour. */
export const accessToken = sqliteTable(
  "access_token",
  {
    hash: text().primaryKey(),
    sessionId: text("session_id")
      .notNull()
      .references(() => agentSession.id, { onDelete: "cascade" }),
    expiresAtMs: integer("expires_at").notNull(),
    /** Joined by spaces, for a token with fewer scopes than its session; null for one with all of them. */
    scopes: text(),
  },
  (table) => [
    index("access_token_session").on(table.sessionId),
    index("access_token_expiry").on(table.expiresAtMs),
  ],
);

export type AuthRequestRow = typeof authRequest.$inferSelect;
export type AgentSessionRow = typeof agentSession.$inferSelect;
