/*
 * A refresh token is followed by one that is made of it.
 * Decision: the next token is a keyed hash of the one before. Refreshes that come in parallel, or again because an
 * answer was lost, therefore get the same next token, without it being stored; only hashes are.
 * Because: with random ones each parallel refresh would begin a line of its own, and a thief within the minute would
 * have one that never shows. In one line, whoever is behind is noticed with the next refresh, and the session ends.
 * Cost: who has IDENTITY_SECRET and one token of a session can work out those that follow.
 */

import { createHmac, hkdfSync } from "node:crypto";
import { and, eq, gt, isNotNull, isNull, sql } from "drizzle-orm";
import { serverItself } from "../../domain/audit";
import { clock, minuteMs } from "../../lib/clock";
import { sha256Hex } from "../../lib/ids";
import { prolong, revoke } from "./agent-sessions";
import { type AgentSessionRow, accessToken, agentSession, authRequest } from "./agent-tables";
import type { Approver, AuthRequest } from "./auth-requests";
import { requestById } from "./auth-requests";
import type { Control } from "./control";
import { noteUse } from "./oauth-clients";
import { spentRefreshToken } from "./oauth-tables";
import { account } from "./tables";

/** A refresh token is still good for this long after the next one was used. */
export const refreshGraceMs = 1 * minuteMs;
/**
 * The used refresh tokens of one session that are kept: a later use of an older one counts as that of an unknown one.
 */
export const spentTokensMax = 1_000;

/** The request whose code this is; null when there is none of a client that signs in by OAuth. */
export function requestByCode(control: Control, code: string): AuthRequest | null {
  const isOfCode = eq(authRequest.exchangeCodeHash, sha256Hex(code));
  const found = control.db
    .select({ id: authRequest.id })
    .from(authRequest)
    .where(and(isOfCode, isNotNull(authRequest.oauthClientId)))
    .get();
  return found === undefined ? null : requestById(control, found.id);
}

interface Tokens {
  readonly session: AgentSessionRow;
  readonly accessToken: string;
  /** The scopes of the access token, joined by spaces. A refresh token keeps those that were approved. */
  readonly scopes: string;
  readonly refreshToken: string;
}

/** Signs a client in. Runs within the transaction that takes its request to its end. */
export function beginSession(
  control: Control,
  request: AuthRequest,
  { accountId, personId }: Approver,
) {
  const { clientType, clientName, label, oauthClientId, resource } = request;
  const scopes = request.scopes.split(" ");
  const client = { clientType, clientName, label, oauthClientId, resource };
  const begun = control.agents.addSession(
    { accountId, personId, scopes, ...client },
    clock.nowMs(),
  );
  const ofRequest = eq(authRequest.id, request.id);
  control.db.update(authRequest).set({ sessionId: begun.id }).where(ofRequest).run();
  if (oauthClientId !== null) noteUse(control, oauthClientId);
  return begun;
}

/** A code that comes a second time was seen by somebody else: what it was exchanged for ends. */
export function endSessionOf(control: Control, { sessionId, approver }: AuthRequest): void {
  if (sessionId !== null && approver !== null)
    revoke(control, serverItself, { accountId: approver.accountId }, sessionId);
}

/**
 * New tokens for the holder of a client's refresh token. Null when it is unknown, ended or another client's. One that
 * was followed by another more than a minute ago ends the session.
 */
export function rotate(
  control: Control,
  token: string,
  clientId: string,
  /**
   * Returns the scopes of the new access token; null for all that were approved. Throws for what was not approved;
   * nothing is changed then.
   */
  scopesFor: (session: AgentSessionRow) => string | null,
): Tokens | null {
  const hash = sha256Hex(token);
  // Looked for outside of a transaction, so that guessing writes nothing.
  if (holderOf(control, hash)?.session.oauthClientId !== clientId) return null;
  return control.write(() => {
    const held = holderOf(control, hash);
    if (held === undefined) return null;
    const { session, spentAtMs } = held;
    const isStolen = spentAtMs !== null && clock.nowMs() - spentAtMs > refreshGraceMs;
    if (isStolen) {
      revoke(control, serverItself, { accountId: session.accountId }, session.id);
      return null;
    }
    const scopes = scopesFor(session);
    noteUse(control, clientId);
    const refreshToken =
      spentAtMs === null ? follow(control, session, token) : newest(control, session, token);
    return { ...prolong(control, session, scopes), refreshToken, scopes: scopes ?? session.scopes };
  });
}

/** Ends the session that an access or a refresh token belongs to, for the client that it was given to. */
export function endByToken(control: Control, token: string, clientId: string | null): void {
  const hash = sha256Hex(token);
  const session = holderOf(control, hash)?.session ?? sessionOfAccess(control, hash);
  if (session === undefined || session.oauthClientId === null) return;
  if (clientId !== null && clientId !== session.oauthClientId) return;
  revoke(control, null, { accountId: session.accountId }, session.id);
}

interface Held {
  readonly session: AgentSessionRow;
  /** The time of its use; null for the newest of its session. */
  readonly spentAtMs: number | null;
}

/** The living session whose refresh token this is or was. */
function holderOf({ db }: Control, hash: string): Held | undefined {
  const isAlive = and(
    isNotNull(agentSession.oauthClientId),
    gt(agentSession.refreshExpiresAtMs, clock.nowMs()),
    isNull(agentSession.revokedAtMs),
    isNull(account.deletedAtMs),
  );
  const current = db
    .select({ session: agentSession })
    .from(agentSession)
    .innerJoin(account, eq(account.id, agentSession.accountId))
    .where(and(eq(agentSession.refreshHash, hash), isAlive))
    .get();
  if (current !== undefined) return { ...current, spentAtMs: null };
  return db
    .select({ session: agentSession, spentAtMs: spentRefreshToken.spentAtMs })
    .from(spentRefreshToken)
    .innerJoin(agentSession, eq(agentSession.id, spentRefreshToken.sessionId))
    .innerJoin(account, eq(account.id, agentSession.accountId))
    .where(and(eq(spentRefreshToken.hash, hash), isAlive))
    .get();
}

const sessionOfAccess = ({ db }: Control, hash: string): AgentSessionRow | undefined =>
  db
    .select({ session: agentSession })
    .from(accessToken)
    .innerJoin(agentSession, eq(agentSession.id, accessToken.sessionId))
    .where(eq(accessToken.hash, hash))
    .get()?.session;

/** Puts the next token in the place of the newest one. */
function follow(control: Control, { id }: AgentSessionRow, token: string): string {
  const next = successorOf(control, token);
  const { db } = control;
  db.insert(spentRefreshToken)
    .values({ hash: sha256Hex(token), sessionId: id, spentAtMs: clock.nowMs() })
    .run();
  db.update(agentSession)
    .set({ refreshHash: sha256Hex(next) })
    .where(eq(agentSession.id, id))
    .run();
  db.run(sql`
    delete from spent_refresh_token
    where hash in (
      select hash from spent_refresh_token
      where session_id = ${id}
      order by rowid desc
      limit -1 offset ${spentTokensMax}
    )`);
  return next;
}

/** The newest token of a session, for a caller with one that was replaced within the last minute. */
function newest(control: Control, session: AgentSessionRow, token: string): string {
  let next = successorOf(control, token);
  for (let steps = 0; steps < spentTokensMax; steps++) {
    if (sha256Hex(next) === session.refreshHash) return next;
    next = successorOf(control, next);
  }
  // IDENTITY_SECRET is not what it was: the line cannot be followed, so it goes on from here.
  return follow(control, session, next);
}

const successorOf = ({ identitySecret }: Control, token: string): string => {
  const key = hkdfSync("sha256", identitySecret, "", "sightline refresh tokens", 32);
  const digest = createHmac("sha256", Buffer.from(key)).update(token).digest("hex");
  return `aar_${digest.slice(0, tokenHexChars)}`;
};
const tokenHexChars = 48;
