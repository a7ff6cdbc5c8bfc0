import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import type { Standing } from "../../domain/role";
import { isLive } from "./browser-sessions";
import { type ControlDatabase, prepared } from "./database";
import { apiKey, cookieSession, member, person } from "./member-tables";
import { account } from "./tables";

/** The facts about an account that a request needs. */
export const accountFacts = {
  id: account.id,
  name: account.name,
  tier: account.tier,
  complimentary: account.complimentary,
  createdAtMs: account.createdAtMs,
  requiresTwoFactor: account.requiresTwoFactor,
};
export const personFacts = {
  id: person.id,
  email: person.email,
  isAdmin: person.isAdmin,
};
export const standingFacts = {
  role: member.role,
  projects: member.projects,
  people: member.people,
};
const facts = {
  account: accountFacts,
  person: personFacts,
  standing: standingFacts,
};

const sessionFacts = {
  hash: cookieSession.hash,
  expiresAtMs: cookieSession.expiresAtMs,
  confirmedAtMs: cookieSession.confirmedAtMs,
  via: cookieSession.via,
  hasFactor: sql<number>`exists (
    select 1 from second_factor
    where person_id = ${cookieSession.personId} and enabled_at is not null
  )`.mapWith(Boolean),
};

/** Finds the holder of a secret by its hash, with each request, so that a revoked one stops working at once. */
export function credentialQueries(db: ControlDatabase) {
  const keyHolder = prepared(() =>
    db
      .select(facts)
      .from(apiKey)
      .innerJoin(
        member,
        and(eq(member.accountId, apiKey.accountId), eq(member.personId, apiKey.personId)),
      )
      .innerJoin(person, eq(person.id, member.personId))
      .innerJoin(account, eq(account.id, member.accountId))
      .where(and(eq(apiKey.hash, sql.placeholder("hash")), isNull(account.deletedAtMs)))
      .prepare(),
  );
  // The demo's account belongs to nobody.
  const anyAccount = prepared(() =>
    db
      .select({ id: account.id })
      .from(account)
      .where(and(eq(account.isDemo, false), isNull(account.deletedAtMs)))
      .limit(1)
      .prepare(),
  );
  return {
    hasAccounts: (): boolean => anyAccount().get() !== undefined,
    ...sessionQueries(db),
    holderOfKey: (hash: string): MemberHolder | undefined => keyHolder().get({ hash }),
    noteKeyUse: (hash: string, lastUsedAtMs: number): void => {
      db.update(apiKey).set({ lastUsedAtMs }).where(eq(apiKey.hash, hash)).run();
    },
  };
}

/** Browser sessions. */
function sessionQueries(db: ControlDatabase) {
  const sessions = () =>
    db
      .select({ ...facts, ...sessionFacts })
      .from(cookieSession)
      .innerJoin(person, eq(person.id, cookieSession.personId))
      .innerJoin(member, eq(member.personId, person.id))
      .innerJoin(account, eq(account.id, member.accountId));
  const isAlive = and(
    eq(cookieSession.hash, sql.placeholder("hash")),
    isLive(sql.placeholder("nowMs")),
    isNull(account.deletedAtMs),
  );
  const sessionHolder = prepared(() =>
    sessions()
      .where(isAlive)
      .orderBy(desc(eq(member.role, "owner")), asc(member.joinedAtMs), asc(member.accountId))
      .limit(1)
      .prepare(),
  );
  const sessionHolderIn = prepared(() =>
    sessions()
      .where(and(isAlive, eq(member.accountId, sql.placeholder("accountId"))))
      .prepare(),
  );
  return {
    /** Returns the holder in the account that the person owns, else in the one that they joined first. */
    holderOfSession: (hash: string, nowMs: number): SessionHolder | undefined =>
      sessionHolder().get({ hash, nowMs }),
    /** Returns the holder in a named account, if the person is a member of it. */
    holderOfSessionIn: (
      accountId: string,
      hash: string,
      nowMs: number,
    ): SessionHolder | undefined => sessionHolderIn().get({ accountId, hash, nowMs }),
    renewSession: (hash: string, expiresAtMs: number): void => {
      db.update(cookieSession).set({ expiresAtMs }).where(eq(cookieSession.hash, hash)).run();
    },
    /** The person gave the password again. */
    confirmSession: (hash: string, confirmedAtMs: number): void => {
      db.update(cookieSession).set({ confirmedAtMs }).where(eq(cookieSession.hash, hash)).run();
    },
  };
}

export interface AccountFacts {
  readonly id: string;
  readonly name: string | null;
  readonly tier: "free" | "pro";
  readonly complimentary: boolean;
  readonly createdAtMs: number;
  readonly requiresTwoFactor: boolean;
}

export interface PersonFacts {
  readonly id: string;
  readonly email: string;
  readonly isAdmin: boolean;
}

/** The holder of a credential. The demo's sessions and shares act for an account, and no person stands behind them. */
export interface CredentialHolder {
  readonly account: AccountFacts;
  readonly person: PersonFacts | null;
  readonly standing: Standing | null;
}

interface MemberHolder extends CredentialHolder {
  readonly person: PersonFacts;
  readonly standing: Standing;
}

export interface SessionHolder extends MemberHolder {
  readonly hash: string;
  readonly expiresAtMs: number;
  readonly confirmedAtMs: number;
  /** The person has turned a second factor on. */
  readonly hasFactor: boolean;
  readonly via: "password" | "oidc";
}
