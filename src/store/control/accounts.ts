import { and, asc, count, eq, isNull } from "drizzle-orm";
import type { Actor } from "../../domain/audit";
import { ApiError } from "../../domain/errors";
import { effectiveTier, type Rights, type Tier } from "../../domain/plan";
import { clock } from "../../lib/clock";
import { newId } from "../../lib/ids";
import { note } from "./audit";
import type { Control } from "./control";
import { isDuplicate } from "./database";
import { member, type PersonRow, person } from "./member-tables";
import { addressTaken, changePerson, type PersonUpdate } from "./people";
import { type AccountRow, account, project } from "./tables";

/** An account and the person who owns it. */
export interface OwnedAccount {
  readonly account: AccountRow;
  readonly person: PersonRow;
}

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
  /** The address is the person's: nobody signs up with it by themselves. */
  readonly isProven?: boolean;
}

/** The first account: the administrator, complimentary. Throws SETUP_DONE when there is one, whoever was faster. */
export const addFirstAccount = (control: Control, made: NewAccount): OwnedAccount =>
  control.write(() => {
    if (control.hasAccounts()) {
      throw new ApiError("SETUP_DONE", "This server is already set up. Log in instead.");
    }
    return insertAccount(control, {
      ...made,
      complimentary: true,
      isAdmin: true,
      isProven: true,
    });
  });

/** Makes an account and the log-in of its owner. Throws ACCOUNT_EXISTS when the address has a log-in. */
export function addAccount(control: Control, made: NewAccount): OwnedAccount {
  try {
    return control.write(() => insertAccount(control, made));
  } catch (error) {
    throw isDuplicate(error) ? addressTaken() : error;
  }
}

/** An account that nobody else made: the server's log has it as the work of its owner, or of a command. */
export const noteMade = (
  control: Control,
  { account: made, person: owner }: OwnedAccount,
  actor: Actor = { kind: "cookie", id: owner.id, email: owner.email },
): void =>
  note(control, {
    ...{ accountId: null, actor, action: "account_made", details: { tier: made.tier } },
    target: { type: "account", id: made.id, name: owner.email },
  });

function insertAccount({ db }: Control, made: NewAccount): OwnedAccount {
  const {
    email,
    passwordHash,
    tier,
    complimentary = false,
    isAdmin = false,
    isProven = false,
  } = made;
  const createdAtMs = clock.nowMs();
  const added = {
    account: db
      .insert(account)
      .values({ id: newId("acc"), tier, complimentary, createdAtMs })
      .returning()
      .get(),
    person: db
      .insert(person)
      .values({ id: newId("usr"), email, passwordHash, isAdmin, isProven, createdAtMs })
      .returning()
      .get(),
  };
  db.insert(member)
    .values({
      ...{
        accountId: added.account.id,
        personId: added.person.id,
        role: "owner",
        people: true,
      },
      joinedAtMs: createdAtMs,
    })
    .run();
  return added;
}

/** Accounts of people: neither deleted, nor the demo's. */
const isLive = and(isNull(account.deletedAtMs), eq(account.isDemo, false));

const withOwners = ({ db }: Control) =>
  db
    .select({ account, person })
    .from(account)
    .innerJoin(member, and(eq(member.accountId, account.id), eq(member.role, "owner")))
    .innerJoin(person, eq(person.id, member.personId));

export const accountById = (control: Control, id: string): OwnedAccount | undefined =>
  withOwners(control)
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
export const accountsOfPeople = (control: Control): OwnedAccount[] =>
  withOwners(control).where(isLive).orderBy(asc(account.createdAtMs), asc(account.id)).all();

export type AccountUpdate = PersonUpdate & Partial<Pick<AccountRow, "tier" | "complimentary">>;

/**
 * Changes an account and the log-in of its owner: everything or nothing. A new password ends the owner's browser
 * sessions, but the one that is kept. Undefined when there is no such account; throws ACCOUNT_EXISTS, and FORBIDDEN
 * when nobody would be left to administer.
 */
export const changeAccount = (
  control: Control,
  id: string,
  { tier, complimentary, ...update }: AccountUpdate,
  keptSessionHash: string | null,
): OwnedAccount | undefined =>
  control.write(() => {
    const before = accountById(control, id);
    if (before === undefined) return undefined;
    changePerson(control, before.person.id, update, keptSessionHash);
    changeRights(control, id, {
      ...(tier !== undefined && { tier }),
      ...(complimentary !== undefined && { complimentary }),
    });
    return accountById(control, id);
  });
