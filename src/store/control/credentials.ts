import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { type ControlDatabase, prepared } from "./database";
import { account, apiKey, cookieSession } from "./tables";

/** The facts about an account that a request needs. */
export const owner = {
  id: account.id,
  email: account.email,
  tier: account.tier,
  complimentary: account.complimentary,
  isAdmin: account.isAdmin,
  createdAtMs: account.createdAtMs,
};

/** Finds the holder of a secret by its hash, with each request, so that a revoked one stops working at once. */
export function credentialQueries(db: ControlDatabase) {
  const keyHolder = prepared(() =>
    db
      .select(owner)
      .from(apiKey)
      .innerJoin(account, eq(account.id, apiKey.accountId))
      .where(and(eq(apiKey.hash, sql.placeholder("hash")), isNull(account.deletedAtMs)))
      .prepare(),
  );
  const sessionHolder = prepared(() =>
    db
      .select({ owner, expiresAtMs: cookieSession.expiresAtMs })
      .from(cookieSession)
      .innerJoin(account, eq(account.id, cookieSession.accountId))
      .where(
        and(
          eq(cookieSession.hash, sql.placeholder("hash")),
          gt(cookieSession.expiresAtMs, sql.placeholder("nowMs")),
          isNull(account.deletedAtMs),
        ),
      )
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
    holderOfKey: (hash: string): CredentialHolder | undefined => keyHolder().get({ hash }),
    holderOfSession: (hash: string, nowMs: number): SessionHolder | undefined =>
      sessionHolder().get({ hash, nowMs }),
    renewSession: (hash: string, expiresAtMs: number): void => {
      db.update(cookieSession).set({ expiresAtMs }).where(eq(cookieSession.hash, hash)).run();
    },
    noteKeyUse: (hash: string, lastUsedAtMs: number): void => {
      db.update(apiKey).set({ lastUsedAtMs }).where(eq(apiKey.hash, hash)).run();
    },
  };
}

export interface CredentialHolder {
  readonly id: string;
  readonly email: string;
  readonly tier: "free" | "pro";
  readonly complimentary: boolean;
  readonly isAdmin: boolean;
  readonly createdAtMs: number;
}

export interface SessionHolder {
  readonly owner: CredentialHolder;
  readonly expiresAtMs: number;
}
