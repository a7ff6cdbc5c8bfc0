import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Actor } from "../../domain/audit";
import { ApiError } from "../../domain/errors";
import { cookieSessionMs } from "../../domain/limits";
import type { Role } from "../../domain/role";
import { note } from "./audit";
import type { Control } from "./control";
import type { MemberId } from "./keys";
import { type MemberRow, member, type PersonRow, person } from "./member-tables";
import { dropHomeless } from "./people";
import { dropSubscriptionsOf } from "./subscriptions";
import { type AccountRow, account } from "./tables";

/** An account of which a person is a member. */
interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** Returns the live accounts of a person: the own ones first, then in the order of joining. */
export function accountsOfPerson({ db }: Control, personId: string): Membership[] {
  const ownership = alias(member, "ownership");
  return db
    .select({
      id: account.id,
      name: sql<string>`coalesce(${account.name}, ${person.email})`,
      role: member.role,
    })
    .from(member)
    .innerJoin(account, eq(account.id, member.accountId))
    .innerJoin(ownership, and(eq(ownership.accountId, account.id), eq(ownership.role, "owner")))
    .innerJoin(person, eq(person.id, ownership.personId))
    .where(and(eq(member.personId, personId), isNull(account.deletedAtMs)))
    .orderBy(desc(eq(member.role, "owner")), asc(member.joinedAtMs), asc(member.accountId))
    .all();
}

/** A member as others see them. */
export interface ShownMember {
  readonly person: PersonRow;
  readonly member: MemberRow;
  /** The last use of the log-in, of the key, or of an agent of theirs in this account. */
  readonly lastSeenAtMs: number | null;
  readonly hasFactor: boolean;
}

/** The owner first, then in the order of joining. */
export function membersOf(control: Control, accountId: string): ShownMember[] {
  return control.db
    .select({ person, member, lastSeenAtMs: lastSeen, hasFactor })
    .from(member)
    .innerJoin(person, eq(person.id, member.personId))
    .where(eq(member.accountId, accountId))
    .orderBy(desc(eq(member.role, "owner")), asc(member.joinedAtMs), asc(member.personId))
    .all();
}

const hasFactor = sql<number>`exists (
  select 1 from second_factor where person_id = ${person.id} and enabled_at is not null
)`.mapWith(Boolean);

const lastSeen = sql<number | null>`nullif(max(
  coalesce((select max(expires_at) - ${cookieSessionMs} from cookie_session where person_id = ${person.id}), 0),
  coalesce((select last_used_at from api_key
    where account_id = ${member.accountId} and person_id = ${person.id}), 0),
  coalesce((select max(last_used_at) from agent_session
    where account_id = ${member.accountId} and person_id = ${person.id}), 0)
), 0)`;

const isMember = ({ accountId, personId }: MemberId) =>
  and(eq(member.accountId, accountId), eq(member.personId, personId));

/** Throws NOT_FOUND. */
function requireMember(control: Control, id: MemberId): ShownMember {
  const found = membersOf(control, id.accountId).find(({ person }) => person.id === id.personId);
  if (found !== undefined) return found;
  throw new ApiError("NOT_FOUND", "This account has no such member. GET /members lists them.");
}

export type MemberChange = Partial<Pick<MemberRow, "role" | "projects" | "people">>;

/** Changes a member's rights, from the next request on. Throws NOT_FOUND, and FORBIDDEN for the owner. */
export const changeMember = (
  control: Control,
  actor: Actor,
  id: MemberId,
  change: MemberChange,
): ShownMember =>
  control.write(() => {
    const { person: changed, member: before } = requireMember(control, id);
    if (before.role === "owner") throw ownerStays("changed");
    if (Object.keys(change).length === 0) return requireMember(control, id);
    control.db.update(member).set(change).where(isMember(id)).run();
    note(control, {
      ...{ accountId: id.accountId, actor, action: "member_changed" },
      target: { type: "member", id: id.personId, name: changed.email },
      details: { before: rightsOf(before), after: rightsOf({ ...before, ...change }) },
    });
    return requireMember(control, id);
  });

const rightsOf = ({ role, projects, people }: MemberRow) => ({ role, projects, people });

const ownerStays = (what: string): ApiError =>
  new ApiError(
    "FORBIDDEN",
    `The owner of an account cannot be ${what}. Transfer the account first: POST /account/transfer.`,
  );

/**
 * Ends a membership, with the key and the agents of the person in this account; a log-in that is in no account any more
 * goes with it. Throws NOT_FOUND, LAST_OWNER, and FORBIDDEN when nobody would be left to administer the server.
 */
export const removeMember = (control: Control, actor: Actor, id: MemberId): ShownMember =>
  control.write(() => {
    const found = requireMember(control, id);
    const { person: removed, member: before } = found;
    if (before.role === "owner") {
      throw new ApiError(
        "LAST_OWNER",
        "An account always has an owner. Transfer it first: POST /account/transfer.",
      );
    }
    control.db.delete(member).where(isMember(id)).run();
    dropSubscriptionsOf(control, id.accountId, id.personId);
    dropHomeless(control, [id.personId]);
    note(control, {
      ...{ accountId: id.accountId, actor, action: "member_removed" },
      target: { type: "member", id: id.personId, name: removed.email },
      details: rightsOf(before),
    });
    return found;
  });

/** Makes an administrator the owner, and the owner an administrator. Throws NOT_FOUND, and FORBIDDEN for others. */
export const transferAccount = (
  control: Control,
  actor: Actor,
  from: MemberId,
  toPersonId: string,
): { readonly former: PersonRow; readonly owner: PersonRow } =>
  control.write(() => {
    const { accountId } = from;
    const to = { accountId, personId: toPersonId };
    const { person: former, member: before } = requireMember(control, from);
    const { person: owner, member: after } = requireMember(control, to);
    if (before.role !== "owner" || after.role !== "admin") {
      throw new ApiError(
        "FORBIDDEN",
        "An account can be transferred by its owner to one of its administrators. Make the member one first.",
      );
    }
    const { db } = control;
    db.update(member).set({ role: "admin" }).where(isMember(from)).run();
    db.update(member)
      .set({ role: "owner", projects: null, people: true })
      .where(isMember(to))
      .run();
    note(control, {
      ...{ accountId, actor, action: "ownership_transferred" },
      target: { type: "member", id: toPersonId, name: owner.email },
      details: { from: former.email },
    });
    return { former, owner };
  });

export type AccountSettings = Partial<Pick<AccountRow, "name" | "requiresTwoFactor">>;

/** Changes what the owner says about an account: its name, and whether its members need a second factor. */
export const updateAccount = (
  control: Control,
  actor: Actor,
  id: string,
  settings: AccountSettings,
): void =>
  control.write(() => {
    if (Object.keys(settings).length === 0) return;
    const { name, requiresTwoFactor } = settings;
    control.db.update(account).set(settings).where(eq(account.id, id)).run();
    note(control, {
      ...{ accountId: id, actor, action: "account_changed" },
      target: { type: "account", id, ...(typeof name === "string" && { name }) },
      details: {
        ...(name !== undefined && { name }),
        ...(requiresTwoFactor !== undefined && { require_two_factor: requiresTwoFactor }),
      },
    });
  });
