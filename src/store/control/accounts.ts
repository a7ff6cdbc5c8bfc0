import { and, asc, count, eq, isNull, ne, sql } from "drizzle-orm";
import { ApiError } from "../../domain/errors";
import { cookieSessionMs } from "../../domain/limits";
import { effectiveTier, type Rights, type Tier } from "../../domain/plan";
import { clock } from "../../lib/clock";
import { newId, newToken, sha256Hex } from "../../lib/ids";
import type { Control } from "./control";
import { isDuplicate } from "./database";
import { refuseLastAdmin } from "./deletion";
import { type AccountRow, type ApiKeyRow, account, apiKey, cookieSession, project } from "./tables";

const apiKeyPrefixChars = 12;
/** Browsers of one account; beyond that, the one that was not seen for the longest is logged out. */
export const cookieSessionsMax = 100;

/**
 * The one way in which a living account gets other rights. It notes since when there are fewer, from which retention
 * counts its days of grace. Undefined when there is no such account.
 */
export const changeRights = (
  control: Control,
  accountId: string,
  rights: Partial<Rights>,
): AccountRow | undefined =>
  control.write(() => {
    const { db } = control;
    const alive = and(eq(account.id, accountId), isNull(account.deletedAtMs));
    const before = db.select().from(account).where(alive).get();
    if (before === undefined) return undefined;
    const lostProAtMs = lostProAt(before, { ...before, ...rights });
    return db
      .update(account)
      .set({ ...rights, lostProAtMs })
      .where(alive)
      .returning()
      .get();
  });

function lostProAt(before: AccountRow, after: Rights): number | null {
  if (effectiveTier(after) === "pro") return null;
  return effectiveTier(before) === "pro" ? clock.nowMs() : before.lostProAtMs;
}

export interface NewAccount {
  /** The address in its normal form. */
  readonly email: string;
  readonly passwordHash: string;
  readonly tier: Tier;
  readonly complimentary?: boolean;
  readonly isAdmin?: boolean;
}

/** The first account: the administrator, complimentary. Throws SETUP_DONE when there is one, whoever was faster. */
export const addFirstAccount = (control: Control, made: NewAccount): AccountRow =>
  control.write(() => {
    if (control.hasAccounts()) {
      throw new ApiError("SETUP_DONE", "This server is already set up. Log in instead.");
    }
    return insertAccount(control, { ...made, complimentary: true, isAdmin: true });
  });

/** Throws ACCOUNT_EXISTS when the address has one. */
export function addAccount(control: Control, made: NewAccount): AccountRow {
  try {
    return control.write(() =>
      insertAccount(control, { complimentary: false, isAdmin: false, ...made }),
    );
  } catch (error) {
    throw isDuplicate(error) ? addressTaken() : error;
  }
}

const addressTaken = (): ApiError =>
  new ApiError("ACCOUNT_EXISTS", "An account with this email already exists. Log in instead.");

const insertAccount = (
  { db }: Control,
  made: NewAccount & Pick<AccountRow, "complimentary" | "isAdmin">,
): AccountRow =>
  db
    .insert(account)
    .values({ ...made, id: newId("acc"), createdAtMs: clock.nowMs() })
    .returning()
    .get();

/** Accounts of people: neither deleted, nor the demo's. */
const isLive = and(isNull(account.deletedAtMs), eq(account.isDemo, false));

export const accountByEmail = ({ db }: Control, email: string): AccountRow | undefined =>
  db
    .select()
    .from(account)
    .where(and(eq(account.email, email), isLive))
    .get();

export const accountById = ({ db }: Control, id: string): AccountRow | undefined =>
  db
    .select()
    .from(account)
    .where(and(eq(account.id, id), isLive))
    .get();

/** Live projects of all accounts that have one, in one query: the list of accounts may be long. */
export const projectCounts = ({ db }: Control): ReadonlyMap<string, number> =>
  new Map(
    db
      .select({ accountId: project.accountId, projects: count() })
      .from(project)
      .where(isNull(project.deletedAtMs))
      .groupBy(project.accountId)
      .all()
      .map(({ accountId, projects }) => [accountId, projects]),
  );

/** Oldest first. */
export const accountsOfPeople = ({ db }: Control): AccountRow[] =>
  db.select().from(account).where(isLive).orderBy(asc(account.createdAtMs), asc(account.id)).all();

export type AccountUpdate = Partial<
  Pick<AccountRow, "email" | "passwordHash" | "tier" | "complimentary" | "isAdmin">
>;

/**
 * Everything or nothing. A new password ends the account's browser sessions, but the one that is kept. Undefined when
 * there is no such account; throws ACCOUNT_EXISTS, and FORBIDDEN when nobody would be left to administer.
 */
export function changeAccount(
  control: Control,
  id: string,
  { tier, complimentary, ...update }: AccountUpdate,
  keptSessionHash: string | null,
): AccountRow | undefined {
  const rights = {
    ...(tier !== undefined && { tier }),
    ...(complimentary !== undefined && { complimentary }),
  };
  const change = () => {
    if (accountById(control, id) === undefined) return undefined;
    if (update.isAdmin === false) refuseLastAdmin(control, id);
    if (update.passwordHash !== undefined) {
      changePassword(control, id, update.passwordHash, keptSessionHash);
    }
    if (Object.keys(update).length > 0) {
      control.db.update(account).set(update).where(eq(account.id, id)).run();
    }
    return changeRights(control, id, rights);
  };
  try {
    return control.write(change);
  } catch (error) {
    throw isDuplicate(error) ? addressTaken() : error;
  }
}

/** The name by which a person knows a browser. */
export interface SeenBrowser {
  readonly label: string | null;
  readonly network: string | null;
}

/** Logs a browser in, which holds the secret; only its hash is kept. */
export function addSession(
  control: Control,
  accountId: string,
  secret: string,
  { label, network }: SeenBrowser,
): void {
  const nowMs = clock.nowMs();
  control.write(() => {
    control.db
      .insert(cookieSession)
      .values({
        hash: sha256Hex(secret),
        accountId,
        createdAtMs: nowMs,
        expiresAtMs: nowMs + cookieSessionMs,
        label,
        network,
      })
      .run();
    keepLastSeen(control, accountId);
  });
}

/** Deletes the browser's older sessions, so that repeated log-ins pile up nothing. */
function keepLastSeen({ db }: Control, accountId: string): void {
  db.run(sql`
    delete from cookie_session
    where hash in (
      select hash from cookie_session
      where account_id = ${accountId}
      order by expires_at desc, rowid desc
      limit -1 offset ${cookieSessionsMax}
    )`);
}

export const dropSession = (control: Control, hash: string): void =>
  control.write(() => {
    control.db.delete(cookieSession).where(eq(cookieSession.hash, hash)).run();
  });

/** A new password ends the browser sessions of the account but one. */
export const changePassword = (
  control: Control,
  accountId: string,
  passwordHash: string,
  keptSessionHash: string | null,
): void =>
  control.write(() => {
    const { db } = control;
    db.update(account).set({ passwordHash }).where(eq(account.id, accountId)).run();
    db.delete(cookieSession)
      .where(
        and(eq(cookieSession.accountId, accountId), ne(cookieSession.hash, keptSessionHash ?? "")),
      )
      .run();
  });

export const keyOf = ({ db }: Control, accountId: string): ApiKeyRow | undefined =>
  db.select().from(apiKey).where(eq(apiKey.accountId, accountId)).get();

/** Makes the account's key. Throws API_KEY_EXISTS when there is one. Only the hash of what it returns is kept. */
export function addKey(control: Control, accountId: string): string {
  try {
    return writeKey(control, accountId, (row) => {
      control.db.insert(apiKey).values(row).run();
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new ApiError(
      "API_KEY_EXISTS",
      "This account already has an API key. Replace it with POST /account/revoke-key.",
    );
  }
}

/** The old key, if there is one, is dead when this returns. */
export const replaceKey = (control: Control, accountId: string): string =>
  writeKey(control, accountId, (row) => {
    control.db.delete(apiKey).where(eq(apiKey.accountId, accountId)).run();
    control.db.insert(apiKey).values(row).run();
  });

export const dropKey = (control: Control, accountId: string): void =>
  control.write(() => {
    control.db.delete(apiKey).where(eq(apiKey.accountId, accountId)).run();
  });

function writeKey(
  control: Control,
  accountId: string,
  write: (row: typeof apiKey.$inferInsert) => void,
): string {
  const key = newToken("aak");
  const prefix = key.slice(0, apiKeyPrefixChars);
  const row = { accountId, hash: sha256Hex(key), prefix, createdAtMs: clock.nowMs() };
  control.write(() => write(row));
  return key;
}
