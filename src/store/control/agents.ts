import { and, eq, gt, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import { accessTokenMs, refreshTokenMs } from "../../domain/limits";
import { dayMs, minuteMs } from "../../lib/clock";
import { newId, newToken, sha256Hex } from "../../lib/ids";
import { type AgentSessionRow, accessToken, agentSession, authRequest } from "./agent-tables";
import { accountFacts, type CredentialHolder, personFacts, standingFacts } from "./credentials";
import { type ControlConnection, type ControlDatabase, prepared } from "./database";
import { member, person } from "./member-tables";
import { strangersBounds } from "./strangers";
import { account } from "./tables";

/** The outcome of a request can be asked for this long after its end. */
export const authRequestKeptMs = 1 * dayMs;
/** Ended sessions are listed for this long. */
export const endedSessionKeptMs = 90 * dayMs;
export const demoSessionMs = 30 * minuteMs;

/** Sessions of machines that are signed in: who holds an access token, and how sessions begin. */
export function agentQueries(control: ControlConnection) {
  const { db } = control;
  const holder = prepared(() => holderOf(db));
  const begin = (made: NewSession, refreshToken: string | null, times: Times): Begun => {
    const id = newId("ags");
    const token = newToken("aas");
    const { nowMs, accessExpiresAtMs, refreshExpiresAtMs } = times;
    control.write(() => {
      if (refreshToken === null) control.room.make(db, strangersBounds.demoSessions);
      db.insert(agentSession)
        .values({
          ...made,
          id,
          scopes: made.scopes.join(" "),
          refreshHash: refreshToken === null ? null : sha256Hex(refreshToken),
          createdAtMs: nowMs,
          lastUsedAtMs: nowMs,
          accessExpiresAtMs,
          refreshExpiresAtMs,
        })
        .run();
      db.insert(accessToken)
        .values({ hash: sha256Hex(token), sessionId: id, expiresAtMs: accessExpiresAtMs })
        .run();
    });
    return { id, accessToken: token, accessExpiresAtMs, refreshExpiresAtMs };
  };
  return {
    holderOfToken: (hash: string, nowMs: number): TokenHolder | undefined =>
      holder().get({ hash, nowMs }),

    noteUse: (id: string, lastUsedAtMs: number): void => {
      db.update(agentSession).set({ lastUsedAtMs }).where(eq(agentSession.id, id)).run();
    },

    /** Signs a machine in. The tokens are in what it returns and nowhere else. */
    addSession(made: NewSession, nowMs: number): Begun & { readonly refreshToken: string } {
      const refreshToken = newToken("aar");
      const accessExpiresAtMs = nowMs + accessTokenMs;
      const refreshExpiresAtMs = nowMs + refreshTokenMs;
      const times = { nowMs, accessExpiresAtMs, refreshExpiresAtMs };
      return { ...begin(made, refreshToken, times), refreshToken };
    },

    forgetEnded: (nowMs: number): void => forgetEnded(control, nowMs),

    /** A session of the demo's account: it ends with its only access token. */
    addDemoSession(accountId: string, scopes: readonly string[], nowMs: number): Begun {
      const endsAtMs = nowMs + demoSessionMs;
      const made = { accountId, personId: null, scopes, clientType: "demo" };
      const times = { nowMs, accessExpiresAtMs: endsAtMs, refreshExpiresAtMs: endsAtMs };
      return begin(made, null, times);
    },
  };
}

/** The holder of an access token, as long as a member stands behind its session, or it is one of the demo. */
const holderOf = (db: ControlDatabase) =>
  db
    .select({
      ...{ account: accountFacts, person: personFacts, standing: standingFacts },
      isDemo: account.isDemo,
      id: agentSession.id,
      scopes: sql<string>`coalesce(${accessToken.scopes}, ${agentSession.scopes})`,
      resource: agentSession.resource,
    })
    .from(accessToken)
    .innerJoin(agentSession, eq(agentSession.id, accessToken.sessionId))
    .innerJoin(account, eq(account.id, agentSession.accountId))
    // The demo's account has no members.
    .leftJoin(
      member,
      and(eq(member.accountId, agentSession.accountId), eq(member.personId, agentSession.personId)),
    )
    .leftJoin(person, eq(person.id, member.personId))
    .where(
      and(
        or(eq(account.isDemo, true), isNotNull(member.role)),
        eq(accessToken.hash, sql.placeholder("hash")),
        gt(accessToken.expiresAtMs, sql.placeholder("nowMs")),
        isNull(agentSession.revokedAtMs),
        isNull(account.deletedAtMs),
      ),
    )
    .prepare();

/** Requests nobody asks for any more, tokens that expired, sessions that ended long ago. */
function forgetEnded(control: ControlConnection, nowMs: number): void {
  const { db } = control;
  const staleRequest = lt(authRequest.expiresAtMs, nowMs - authRequestKeptMs);
  const staleToken = lte(accessToken.expiresAtMs, nowMs);
  const endedBeforeMs = nowMs - endedSessionKeptMs;
  const staleSession = or(
    lt(agentSession.refreshExpiresAtMs, endedBeforeMs),
    lt(agentSession.revokedAtMs, endedBeforeMs),
    // Sessions of the demo have no refresh token, and are in no list.
    and(isNull(agentSession.refreshHash), lte(agentSession.refreshExpiresAtMs, nowMs)),
  );
  control.write(() => {
    db.delete(authRequest).where(staleRequest).run();
    db.delete(accessToken).where(staleToken).run();
    db.delete(agentSession).where(staleSession).run();
  });
}

export interface NewSession {
  readonly accountId: string;
  /** The member who approved it; null for the demo. */
  readonly personId: string | null;
  readonly scopes: readonly string[];
  readonly clientType: string;
  readonly clientName?: string | null;
  readonly clientInstanceId?: string | null;
  readonly label?: string | null;
  readonly oauthClientId?: string | null;
  readonly resource?: AgentSessionRow["resource"];
}

interface Times {
  readonly nowMs: number;
  readonly accessExpiresAtMs: number;
  readonly refreshExpiresAtMs: number;
}

interface Begun {
  readonly id: string;
  readonly accessToken: string;
  readonly accessExpiresAtMs: number;
  readonly refreshExpiresAtMs: number;
}

interface TokenHolder extends CredentialHolder {
  readonly isDemo: boolean;
  /** The id of the session. */
  readonly id: string;
  readonly scopes: string;
  readonly resource: AgentSessionRow["resource"];
}
