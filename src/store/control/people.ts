import { and, count, eq, inArray, ne, notExists, sql } from "drizzle-orm";
import { serverItself } from "../../domain/audit";
import { ApiError } from "../../domain/errors";
import { cookieSessionMs } from "../../domain/limits";
import { clock, dayMs } from "../../lib/clock";
import { sha256Hex } from "../../lib/ids";
import { countedSince, noteOfPerson } from "./audit";
import { type ControlConnection, isDuplicate } from "./database";
import { cookieSession, member, type PersonRow, person } from "./member-tables";
import { passwordLink } from "./password-link-tables";

/** Browsers of one person; beyond that, the one that was not seen for the longest is logged out. */
export const cookieSessionsMax = 100;

export const personByEmail = ({ db }: ControlConnection, email: string): PersonRow | undefined =>
  db.select().from(person).where(eq(person.email, email)).get();

export const personById = ({ db }: ControlConnection, id: string): PersonRow | undefined =>
  db.select().from(person).where(eq(person.id, id)).get();

export type PersonUpdate = Partial<Pick<PersonRow, "email" | "passwordHash" | "isAdmin">>;

/**
 * Everything or nothing. A new password ends the person's browser sessions, but the one that is kept. Throws
 * ACCOUNT_EXISTS, and FORBIDDEN when nobody would be left to administer.
 */
export function changePerson(
  control: ControlConnection,
  id: string,
  { passwordHash, ...update }: PersonUpdate,
  keptSessionHash: string | null,
): void {
  try {
    control.write(() => {
      if (update.isAdmin === false) refuseLastAdmin(control, [id]);
      if (passwordHash !== undefined) changePassword(control, id, passwordHash, keptSessionHash);
      if (Object.keys(update).length === 0) return;
      if (update.email !== undefined) endPasswordLink(control, id);
      // Only an administrator changes an address.
      const isProven = update.email !== undefined && { isProven: true };
      control.db
        .update(person)
        .set({ ...update, ...isProven })
        .where(eq(person.id, id))
        .run();
    });
  } catch (error) {
    throw isDuplicate(error) ? addressTaken() : error;
  }
}

export const addressTaken = (): ApiError =>
  new ApiError("ACCOUNT_EXISTS", "An account with this email already exists. Log in instead.");

/** The name by which a person knows a browser. */
export interface SeenBrowser {
  readonly label: string | null;
  readonly network: string | null;
  readonly via?: "password" | "oidc";
}

/** Logs a browser in, which holds the secret; only its hash is kept. Each account of the person has an entry of it. */
export function addSession(
  control: ControlConnection,
  personId: string,
  secret: string,
  { label, network, via = "password" }: SeenBrowser,
): void {
  const nowMs = clock.nowMs();
  control.write(() => {
    control.db
      .insert(cookieSession)
      .values({
        hash: sha256Hex(secret),
        personId,
        ...{ createdAtMs: nowMs, confirmedAtMs: nowMs },
        expiresAtMs: nowMs + cookieSessionMs,
        ...{ label, network, via },
      })
      .run();
    keepLastSeen(control, personId);
    const email = personById(control, personId)?.email ?? null;
    const kind = via === "oidc" ? "oidc" : "cookie";
    noteOfPerson(control, personId, {
      ...{ actor: { kind, id: personId, email }, action: "signed_in", network },
      target: { type: "person", id: personId, ...(email !== null && { name: email }) },
    });
  });
}

/** Strangers cause these entries, so an account has at most this number of them in a day. */
const lockedEntriesPerDayMax = 100;

/** Enters that somebody failed too often to log in as a person. */
export const noteLocked = (
  control: ControlConnection,
  personId: string,
  network: string | null,
): void =>
  control.write(() => {
    const email = personById(control, personId)?.email ?? null;
    const sinceMs = clock.nowMs() - dayMs;
    noteOfPerson(
      control,
      personId,
      {
        ...{ actor: serverItself, action: "sign_in_locked", network },
        target: { type: "person", id: personId, ...(email !== null && { name: email }) },
      },
      (accountId) =>
        countedSince(control, accountId, "sign_in_locked", sinceMs) < lockedEntriesPerDayMax,
    );
  });

/** Deletes the browser's older sessions, so that repeated log-ins pile up nothing. */
function keepLastSeen({ db }: ControlConnection, personId: string): void {
  db.run(sql`
    delete from cookie_session
    where hash in (
      select hash from cookie_session
      where person_id = ${personId}
      order by expires_at desc, rowid desc
      limit -1 offset ${cookieSessionsMax}
    )`);
}

export const dropSession = (control: ControlConnection, hash: string): void =>
  control.write(() => {
    control.db.delete(cookieSession).where(eq(cookieSession.hash, hash)).run();
  });

/** A new password ends the browser sessions of the person but one. */
export const changePassword = (
  control: ControlConnection,
  personId: string,
  passwordHash: string,
  keptSessionHash: string | null,
): void =>
  control.write(() => {
    const { db } = control;
    db.update(person).set({ passwordHash }).where(eq(person.id, personId)).run();
    endSessions(control, personId, keptSessionHash);
    endPasswordLink(control, personId);
  });

/** A link that was made before a change of the log-in is dead after it. */
function endPasswordLink({ db }: ControlConnection, personId: string): void {
  db.delete(passwordLink).where(eq(passwordLink.personId, personId)).run();
}

/** Ends the browser sessions of a person but one. Runs within a change. */
export function endSessions(
  { db }: ControlConnection,
  personId: string,
  keptSessionHash: string | null,
): void {
  const isKept = ne(cookieSession.hash, keptSessionHash ?? "");
  db.delete(cookieSession)
    .where(and(eq(cookieSession.personId, personId), isKept))
    .run();
}

/**
 * Deletes those of the people who are in no account any more, with their browser sessions. Throws FORBIDDEN when nobody
 * would be left to administer. Runs within the transaction that ended their memberships.
 */
export function dropHomeless(control: ControlConnection, personIds: readonly string[]): void {
  const { db } = control;
  const membership = db
    .select({ personId: member.personId })
    .from(member)
    .where(eq(member.personId, person.id));
  const homeless = db
    .select({ id: person.id })
    .from(person)
    .where(and(inArray(person.id, [...personIds]), notExists(membership)))
    .all()
    .map(({ id }) => id);
  if (homeless.length === 0) return;
  refuseLastAdmin(control, homeless);
  db.delete(person).where(inArray(person.id, homeless)).run();
}

/** Refuses to lose people without whom nobody is left who can reset a password. */
function refuseLastAdmin({ db }: ControlConnection, leaving: readonly string[]): void {
  const isAdmin = eq(person.isAdmin, true);
  const admins = (which = isAdmin): number =>
    db.select({ admins: count() }).from(person).where(which).get()?.admins ?? 0;
  const leavingAdmins = admins(and(isAdmin, inArray(person.id, [...leaving])));
  if (leavingAdmins === 0 || leavingAdmins < admins()) return;
  throw new ApiError(
    "FORBIDDEN",
    "This is the only administrator. Make another account an administrator first.",
  );
}

/** The administrators of the server. */
export const administrators = ({ db }: ControlConnection): readonly PersonRow[] =>
  db.select().from(person).where(eq(person.isAdmin, true)).orderBy(person.email).all();

/** The owner and the administrators of an account. */
export const membersWhoAdminister = (
  { db }: ControlConnection,
  accountId: string,
): readonly PersonRow[] =>
  db
    .select({ person })
    .from(member)
    .innerJoin(person, eq(person.id, member.personId))
    .where(and(eq(member.accountId, accountId), inArray(member.role, ["owner", "admin"])))
    .all()
    .map((row) => row.person);
