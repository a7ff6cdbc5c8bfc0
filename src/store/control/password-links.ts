import { and, eq, gt } from "drizzle-orm";
import { ApiError } from "../../domain/errors";
import { clock, hourMs, minuteMs } from "../../lib/clock";
import { newToken, sha256Hex } from "../../lib/ids";
import { noteOfPerson } from "./audit";
import type { ControlConnection } from "./database";
import { type PersonRow, person } from "./member-tables";
import { passwordLink } from "./password-link-tables";
import { changePassword } from "./people";

/** A link that came by mail, and one that an administrator or the operator hands over. */
export const mailedLinkMs = 30 * minuteMs;
export const handedLinkMs = 24 * hourMs;

export interface NewPasswordLink {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Makes a person's link; an older one is dead. Runs within a change. */
export function addPasswordLink(
  { db }: ControlConnection,
  personId: string,
  lifeMs: number,
): NewPasswordLink {
  const token = newToken("pwt");
  const row = { tokenHash: sha256Hex(token), expiresAtMs: clock.nowMs() + lifeMs };
  db.insert(passwordLink)
    .values({ personId, ...row })
    .onConflictDoUpdate({ target: passwordLink.personId, set: row })
    .run();
  return { token, expiresAtMs: row.expiresAtMs };
}

/** Returns the person whose link it is. Throws RESET_OVER. */
export function personOfLink({ db }: ControlConnection, token: string): PersonRow {
  const isLive = and(
    eq(passwordLink.tokenHash, sha256Hex(token)),
    gt(passwordLink.expiresAtMs, clock.nowMs()),
  );
  const found = db
    .select({ person })
    .from(passwordLink)
    .innerJoin(person, eq(person.id, passwordLink.personId))
    .where(isLive)
    .get();
  if (found !== undefined) return found.person;
  throw new ApiError(
    "RESET_OVER",
    "This link is over: it was used, replaced by a newer one or is too old. Ask for a new one.",
  );
}

/** Sets the password of a link's person, which ends the link and all browser sessions. Throws RESET_OVER. */
export const resetPassword = (
  control: ControlConnection,
  token: string,
  passwordHash: string,
): PersonRow =>
  control.write(() => {
    const found = personOfLink(control, token);
    const { id, email } = found;
    changePassword(control, id, passwordHash, null);
    control.db.update(person).set({ isProven: true }).where(eq(person.id, id)).run();
    noteOfPerson(control, id, {
      ...{ actor: { kind: "cookie", id, email }, action: "password_reset" },
      target: { type: "person", id, name: email },
    });
    return found;
  });
