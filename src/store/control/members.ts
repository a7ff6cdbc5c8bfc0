import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Role } from "../../domain/role";
import type { Control } from "./control";
import { member, person } from "./member-tables";
import { account } from "./tables";

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
