import { and, desc, eq, gt, isNull, sql } from "drizzle-orm";
import type { Actor } from "../../domain/audit";
import { accessTokenMs, refreshTokenMs } from "../../domain/limits";
import { clock, dayMs } from "../../lib/clock";
import { newToken, sha256Hex } from "../../lib/ids";
import { type AgentSessionRow, accessToken, agentSession } from "./agent-tables";
import { note } from "./audit";
import type { Approver } from "./auth-requests";
import type { Control } from "./control";
import { person } from "./member-tables";
import { personById } from "./people";
import { account } from "./tables";

export const agentSessionsListedMax = 200;
/** The access tokens of one session; beyond this the oldest stop working. */
export const accessTokensMax = 1_000;
/** However often it is refreshed. */
export const agentSessionMs = 365 * dayMs;

interface Refreshed {
  readonly session: AgentSessionRow;
  readonly owner: Approver;
  readonly accessToken: string;
}

/**
 * A new access token for the holder of a refresh token, and 90 more days, within the year that a session lasts at most.
 * Null when the session is unknown, ended or revoked. The earlier access tokens live on: clients refresh in parallel.
 */
export function refresh(control: Control, refreshToken: string): Refreshed | null {
  const refreshHash = sha256Hex(refreshToken);
  // Looked for outside of a transaction, so that guessing writes nothing.
  if (alive(control, refreshHash) === undefined) return null;
  return control.write(() => {
    const found = alive(control, refreshHash);
    if (found === undefined) return null;
    return { ...prolong(control, found.session), owner: found.owner };
  });
}

/** One more access token, with all scopes of the session or fewer, and more time. Runs within a transaction. */
export function prolong(
  control: Control,
  { id, createdAtMs }: Pick<AgentSessionRow, "id" | "createdAtMs">,
  scopes: string | null = null,
): Omit<Refreshed, "owner"> {
  const nowMs = clock.nowMs();
  const refreshExpiresAtMs = Math.min(nowMs + refreshTokenMs, createdAtMs + agentSessionMs);
  const accessExpiresAtMs = Math.min(nowMs + accessTokenMs, refreshExpiresAtMs);
  const token = newToken("aas");
  const session = control.db
    .update(agentSession)
    .set({ refreshExpiresAtMs, accessExpiresAtMs, lastUsedAtMs: nowMs })
    .where(eq(agentSession.id, id))
    .returning()
    .get();
  control.db
    .insert(accessToken)
    .values({ hash: sha256Hex(token), sessionId: id, expiresAtMs: accessExpiresAtMs, scopes })
    .run();
  keepNewest(control, id);
  return { session, accessToken: token };
}

const alive = ({ db }: Control, refreshHash: string) =>
  db
    .select({
      session: agentSession,
      owner: {
        accountId: account.id,
        personId: person.id,
        email: person.email,
        tier: account.tier,
        complimentary: account.complimentary,
      },
    })
    .from(agentSession)
    .innerJoin(account, eq(account.id, agentSession.accountId))
    .innerJoin(person, eq(person.id, agentSession.personId))
    .where(
      and(
        eq(agentSession.refreshHash, refreshHash),
        gt(agentSession.refreshExpiresAtMs, clock.nowMs()),
        isNull(agentSession.revokedAtMs),
        // Sessions of OAuth clients are left out: their refresh tokens change (oauth-sessions.ts).
        isNull(agentSession.oauthClientId),
        isNull(account.deletedAtMs),
      ),
    )
    .get();

/** A client that refreshes without end piles up nothing. */
function keepNewest({ db }: Control, sessionId: string): void {
  db.run(sql`
    delete from access_token
    where hash in (
      select hash from access_token
      where session_id = ${sessionId}
      order by rowid desc
      limit -1 offset ${accessTokensMax}
    )`);
}

/** The sessions of an account, or those that one of its members approved. */
export interface SessionsShown {
  readonly accountId: string;
  readonly personId?: string | null;
}

const isShown = ({ accountId, personId = null }: SessionsShown) =>
  and(
    eq(agentSession.accountId, accountId),
    personId === null ? undefined : eq(agentSession.personId, personId),
  );

export const sessionsOf = ({ db }: Control, shown: SessionsShown): readonly AgentSessionRow[] =>
  db
    .select()
    .from(agentSession)
    .where(isShown(shown))
    .orderBy(desc(agentSession.createdAtMs), desc(agentSession.id))
    .limit(agentSessionsListedMax)
    .all();

/**
 * Ends a session and all its tokens at once. False when there is none of that id among those shown. `actor` is null
 * where the holder of its token does it.
 */
export function revoke(
  control: Control,
  actor: Actor | null,
  shown: SessionsShown,
  id: string,
): boolean {
  const own = and(eq(agentSession.id, id), isShown(shown));
  const found = control.db.select().from(agentSession).where(own).get();
  if (found === undefined) return false;
  if (found.revokedAtMs !== null) return true;
  control.write(() => {
    const { db } = control;
    db.update(agentSession).set({ revokedAtMs: clock.nowMs() }).where(own).run();
    db.delete(accessToken).where(eq(accessToken.sessionId, id)).run();
    const { accountId, personId, clientName } = found;
    const approver = personId === null ? undefined : personById(control, personId);
    const { email = null } = approver ?? {};
    note(control, {
      ...{ accountId, actor: actor ?? { kind: "agent", id: personId, email } },
      ...{ action: "agent_revoked", details: { approved_by: email } },
      target: { type: "agent", id, ...(clientName !== null && { name: clientName }) },
    });
  });
  return true;
}
