import { and, asc, eq, ne } from "drizzle-orm";
import type { Actor } from "../../domain/audit";
import type { GrantedRole } from "../../domain/role";
import { clock } from "../../lib/clock";
import { accountById } from "./accounts";
import { note, noteOfPerson } from "./audit";
import type { Control } from "./control";
import type { ControlConnection } from "./database";
import { requireRoomForMember } from "./invitations";
import { cookieSession, member, type PersonRow, person } from "./member-tables";
import { oidcIdentity } from "./oidc-tables";

/** The name of a person at a provider. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
}

export const personOfIdentity = (
  { db }: ControlConnection,
  { issuer, subject }: OidcIdentity,
): PersonRow | undefined =>
  db
    .select({ person })
    .from(oidcIdentity)
    .innerJoin(person, eq(person.id, oidcIdentity.personId))
    .where(and(eq(oidcIdentity.issuer, issuer), eq(oidcIdentity.subject, subject)))
    .get()?.person;

/** Lets the provider's person in as this one from now on. Runs within a change. */
export function linkIdentity(
  control: ControlConnection,
  { id: personId, email }: Pick<PersonRow, "id" | "email">,
  { issuer, subject }: OidcIdentity,
): void {
  control.db
    .insert(oidcIdentity)
    .values({ issuer, subject, personId, linkedAtMs: clock.nowMs() })
    .run();
  noteOfPerson(control, personId, {
    ...{ actor: oidcActor(personId, email), action: "oidc_linked" },
    ...{ target: { type: "person", id: personId, name: email }, details: { issuer } },
  });
}

/** A person's identities, in the order of linking. */
export const identitiesOf = ({ db }: ControlConnection, personId: string, max: number) =>
  db
    .select()
    .from(oidcIdentity)
    .where(eq(oidcIdentity.personId, personId))
    .orderBy(asc(oidcIdentity.linkedAtMs), asc(oidcIdentity.issuer), asc(oidcIdentity.subject))
    .limit(max)
    .all();

/**
 * Ends an identity of a person, and the browser sessions that single sign-on let in, but one. False where the person
 * has no such identity. Runs within a change.
 */
export function unlinkIdentity(
  control: ControlConnection,
  actor: Actor,
  { issuer, subject }: OidcIdentity,
  keptSessionHash: string,
): boolean {
  const personId = actor.id ?? "";
  const ended = control.db
    .delete(oidcIdentity)
    .where(
      and(
        ...[eq(oidcIdentity.issuer, issuer), eq(oidcIdentity.subject, subject)],
        eq(oidcIdentity.personId, personId),
      ),
    )
    .returning({ issuer: oidcIdentity.issuer })
    .all();
  if (ended.length === 0) return false;
  const ofPerson = and(eq(cookieSession.personId, personId), eq(cookieSession.via, "oidc"));
  control.db
    .delete(cookieSession)
    .where(and(ofPerson, ne(cookieSession.hash, keptSessionHash)))
    .run();
  noteOfPerson(control, personId, {
    ...{ actor, action: "oidc_unlinked", details: { issuer } },
    target: { type: "person", id: personId, ...(actor.email !== null && { name: actor.email }) },
  });
  return true;
}

const oidcActor = (id: string, email: string): Actor => ({ kind: "oidc", id, email });

interface Newcomer {
  readonly accountId: string;
  readonly role: GrantedRole;
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
}

/** Makes a newcomer's log-in, and a member of it. False where there is no such account. Runs within a change. */
export function joinByDomain(control: Control, newcomer: Newcomer): boolean {
  const { accountId, role, id, email, passwordHash } = newcomer;
  if (accountById(control, accountId) === undefined) return false;
  requireRoomForMember(control, accountId);
  const [nowMs, people] = [clock.nowMs(), role !== "viewer"];
  control.db
    .insert(person)
    .values({ id, email, passwordHash, isAdmin: false, isProven: true, createdAtMs: nowMs })
    .run();
  control.db
    .insert(member)
    .values({ accountId, personId: id, role, people, joinedAtMs: nowMs })
    .run();
  note(control, {
    ...{ accountId, action: "member_joined", actor: oidcActor(id, email) },
    target: { type: "member", id, name: email },
    details: { role, projects: null, people },
  });
  return true;
}
