/*
 * An invitation is counted where it is told.
 * Decision: the invitations of the last hour are those of the audit log.
 * Because: revoking and replacing delete the row, and must not make room for more mails to strangers.
 * Cost: none: the entry is written in the same commit, and kept for longer than an hour.
 */

import { and, asc, count, eq, gt, lte } from "drizzle-orm";
import type { Actor } from "../../domain/audit";
import { ApiError, invalidField } from "../../domain/errors";
import type { GrantedRole } from "../../domain/role";
import { clock, dayMs, hourMs, secondMs } from "../../lib/clock";
import { newId, newToken, sha256Hex } from "../../lib/ids";
import { accountById } from "./accounts";
import { countedSince, note } from "./audit";
import type { Control } from "./control";
import { isDuplicate } from "./database";
import type { MemberId } from "./keys";
import { mailMessage } from "./mail-tables";
import { type InvitationRow, invitation, member, type PersonRow, person } from "./member-tables";
import { addressTaken } from "./people";

export const membersMax = 100;
export const openInvitationsMax = 50;
export const invitationsPerHourMax = 30;
export const invitationMs = 7 * dayMs;

export interface NewInvitation {
  readonly accountId: string;
  /** The address in its normal form. */
  readonly email: string;
  readonly role: GrantedRole;
  readonly projects: readonly string[] | null;
  readonly people: boolean;
  /** The address of the person who invites. */
  readonly invitedBy: string;
}

interface Invited {
  readonly row: InvitationRow;
  /** Only its hash is stored. */
  readonly token: string;
}

/**
 * Invites an address; an open invitation of it is replaced. `send` queues a message in the same commit and returns its
 * id, or null while mail is off. Throws ALREADY_MEMBER, RATE_LIMITED, and MISSING_FIELDS where an account is full.
 */
export const invite = (
  control: Control,
  actor: Actor,
  made: NewInvitation,
  send: (token: string) => string | null,
): Invited =>
  control.write(() => {
    const { db } = control;
    const { accountId, email } = made;
    const nowMs = clock.nowMs();
    refuseMember(control, accountId, email);
    db.delete(invitation)
      .where(and(eq(invitation.accountId, accountId), eq(invitation.email, email)))
      .run();
    requireRoom(control, accountId, nowMs);
    const token = newToken("ivt");
    const row = db
      .insert(invitation)
      .values({
        ...{ id: newId("inv"), ...made, tokenHash: sha256Hex(token), mailId: send(token) },
        ...{ createdAtMs: nowMs, expiresAtMs: nowMs + invitationMs },
      })
      .returning()
      .get();
    note(control, {
      ...{ accountId, actor, action: "member_invited" },
      target: { type: "invitation", id: row.id, name: email },
      details: { role: made.role, projects: made.projects, people: made.people },
    });
    return { row, token };
  });

function refuseMember({ db }: Control, accountId: string, email: string): void {
  const known = db
    .select({ id: person.id })
    .from(member)
    .innerJoin(person, eq(person.id, member.personId))
    .where(and(eq(member.accountId, accountId), eq(person.email, email)))
    .get();
  if (known === undefined) return;
  throw new ApiError(
    "ALREADY_MEMBER",
    "This address is a member of the account already. Change the member with PATCH /members/{id}.",
  );
}

function requireRoom(control: Control, accountId: string, nowMs: number): void {
  const { db } = control;
  // Invitations that are over make room, and nobody sees them any more.
  db.delete(invitation).where(lte(invitation.expiresAtMs, nowMs)).run();
  requireRoomForMember(control, accountId);
  const ofAccount = eq(invitation.accountId, accountId);
  const open = db.select({ rows: count() }).from(invitation).where(ofAccount).get()?.rows ?? 0;
  if (open >= openInvitationsMax) {
    throw invalidField(
      "email",
      `An account can have at most ${openInvitationsMax} open invitations. Revoke one first.`,
    );
  }
  const inHour = countedSince(control, accountId, "member_invited", nowMs - hourMs + 1);
  if (inHour < invitationsPerHourMax) return;
  throw new ApiError(
    "RATE_LIMITED",
    `An account can invite ${invitationsPerHourMax} times an hour. Try again later.`,
    { reason: "rate_limit", retry_after_seconds: hourMs / secondMs },
  );
}

export function requireRoomForMember({ db }: Control, accountId: string): void {
  const ofAccount = eq(member.accountId, accountId);
  const members = db.select({ rows: count() }).from(member).where(ofAccount).get()?.rows ?? 0;
  if (members < membersMax) return;
  throw invalidField(
    "email",
    `An account can have at most ${membersMax} members. Remove one first.`,
  );
}

/** The open invitations of an account, oldest first, each with the state of its message. */
export const openInvitations = ({ db }: Control, accountId: string) =>
  db
    .select({ row: invitation, mail: mailMessage.state })
    .from(invitation)
    .leftJoin(mailMessage, eq(mailMessage.id, invitation.mailId))
    .where(and(eq(invitation.accountId, accountId), gt(invitation.expiresAtMs, clock.nowMs())))
    .orderBy(asc(invitation.createdAtMs), asc(invitation.id))
    .all();

/** Its link is dead when this returns. False when the account has none of that id. */
export const revokeInvitation = (
  control: Control,
  actor: Actor,
  accountId: string,
  id: string,
): boolean =>
  control.write(() => {
    const ended = control.db
      .delete(invitation)
      .where(and(eq(invitation.id, id), eq(invitation.accountId, accountId)))
      .returning()
      .get();
    if (ended === undefined) return false;
    note(control, {
      ...{ accountId, actor, action: "invitation_revoked" },
      target: { type: "invitation", id, name: ended.email },
    });
    return true;
  });

/** The open invitation of a token. Throws INVITATION_OVER for one that is unknown, used, revoked or late. */
export function invitationOf({ db }: Control, token: string): InvitationRow {
  const found = db
    .select()
    .from(invitation)
    .where(
      and(eq(invitation.tokenHash, sha256Hex(token)), gt(invitation.expiresAtMs, clock.nowMs())),
    )
    .get();
  if (found !== undefined) return found;
  throw new ApiError(
    "INVITATION_OVER",
    "This invitation is no longer valid. Ask the person who invited you for a new one.",
  );
}

/** The person who accepts: a log-in that exists, or the password of a new one. */
type Joining = Pick<PersonRow, "id"> | Pick<PersonRow, "passwordHash">;

/**
 * Makes a member of the holder of an invitation, exactly once, and the log-in where there is none. Throws
 * INVITATION_OVER, and ACCOUNT_EXISTS when the address got a log-in meanwhile.
 */
export function acceptInvitation(control: Control, token: string, joining: Joining): MemberId {
  try {
    return control.write(() => accept(control, invitationOf(control, token), joining));
  } catch (error) {
    throw isDuplicate(error) ? addressTaken() : error;
  }
}

/**
 * Accepts all open invitations of an address that its owner has proved in another way than by a token. Null where there
 * is none. Runs within a change.
 */
export function acceptInvitationsOf(
  control: Control,
  email: string,
  joining: Joining,
): MemberId | null {
  const isOpen = and(eq(invitation.email, email), gt(invitation.expiresAtMs, clock.nowMs()));
  let joined: MemberId | null = null;
  for (const row of control.db.select().from(invitation).where(isOpen).all()) {
    joined = accept(control, row, joined === null ? joining : { id: joined.personId });
  }
  return joined;
}

function accept(control: Control, row: InvitationRow, joining: Joining): MemberId {
  const { db } = control;
  const { id, accountId, email, role, projects, people } = row;
  requireRoomForMember(control, accountId);
  const nowMs = clock.nowMs();
  const personId = "id" in joining ? joining.id : newId("usr");
  if (!("id" in joining)) {
    const made = { id: personId, email, passwordHash: joining.passwordHash };
    db.insert(person)
      .values({ ...made, isAdmin: false, isProven: true, createdAtMs: nowMs })
      .run();
  }
  db.insert(member)
    .values({ ...{ accountId, personId, role, projects, people }, joinedAtMs: nowMs })
    .run();
  db.delete(invitation).where(eq(invitation.id, id)).run();
  note(control, {
    ...{ accountId, action: "member_joined" },
    actor: { kind: "cookie", id: personId, email },
    target: { type: "member", id: personId, name: email },
    details: { role, projects, people },
  });
  return { accountId, personId };
}

/** The account's name: that which its owner gave it, or the owner's address. */
export function nameOfAccount(control: Control, accountId: string): string {
  const found = accountById(control, accountId);
  return found?.account.name ?? found?.person.email ?? "";
}
