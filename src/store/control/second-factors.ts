/*
 * Wrong codes of a second factor count in control.db.
 * Decision: the row of the factor has the last step that was taken and the wrong codes of the UTC day.
 * Because: a code must be good once, and a hundred guesses a day must be a hundred, also when the server starts again
 * in between.
 * Cost: a wrong code is a write, which only who has the password can cause.
 */

import { and, count, eq, lt } from "drizzle-orm";
import type { Actor, AuditAction } from "../../domain/audit";
import { ApiError } from "../../domain/errors";
import { newRecoveryCodes, normalRecoveryCode, stepOfCode } from "../../domain/second-factor";
import { clock, dayMs, minuteMs } from "../../lib/clock";
import { sha256Hex } from "../../lib/ids";
import { Seal } from "../../lib/seal";
import { fromBase32 } from "../../lib/totp";
import { noteOfPerson } from "./audit";
import type { ControlConnection } from "./database";
import { endSessions, personById } from "./people";
import { recoveryCode, type SecondFactorRow, secondFactor } from "./second-factor-tables";

type FactorControl = ControlConnection & { readonly identitySecret: string };

/** A secret that no code has proved is kept this long. */
export const setUpMsMax = 10 * minuteMs;
export const codeFailuresPerDayMax = 100;

const sealOf = ({ identitySecret }: FactorControl): Seal =>
  new Seal(identitySecret, "second factor");
const isOf = (personId: string) => eq(secondFactor.personId, personId);

export const factorOf = (
  { db }: ControlConnection,
  personId: string,
): SecondFactorRow | undefined => db.select().from(secondFactor).where(isOf(personId)).get();

/** The time at which a person turned the factor on; null while it is off. */
export const factorSince = (control: ControlConnection, personId: string): number | null =>
  factorOf(control, personId)?.enabledAtMs ?? null;

export const recoveryCodesLeft = ({ db }: ControlConnection, personId: string): number =>
  db.select({ left: count() }).from(recoveryCode).where(eq(recoveryCode.personId, personId)).get()
    ?.left ?? 0;

/** Keeps a secret that the person has yet to prove. Throws FORBIDDEN while the factor is on. */
export const setUpFactor = (control: FactorControl, personId: string, secret: string): void =>
  control.write(() => {
    if (factorSince(control, personId) !== null) {
      throw new ApiError(
        "FORBIDDEN",
        "Your second factor is on already. Turn it off first to set up another app.",
      );
    }
    const sealedSecret = sealOf(control).close(secret, personId);
    const made = { sealedSecret, setUpAtMs: clock.nowMs(), lastStep: -1 };
    control.db
      .insert(secondFactor)
      .values({ personId, ...made })
      .onConflictDoUpdate({ target: secondFactor.personId, set: made })
      .run();
  });

/**
 * Turns on the factor whose secret was set up, if the code proves it, and ends the person's browser sessions but one.
 * Returns the recovery codes. Throws INVALID_CODE.
 */
export const enableFactor = (
  control: FactorControl,
  by: Actor,
  personId: string,
  { code, keptSessionHash }: { readonly code: string; readonly keptSessionHash: string | null },
): readonly string[] =>
  control.write(() => {
    const row = factorOf(control, personId);
    const nowMs = clock.nowMs();
    if (row === undefined || row.enabledAtMs !== null || row.setUpAtMs + setUpMsMax <= nowMs) {
      throw new ApiError(
        "INVALID_CODE",
        "There is no second factor to turn on. Set it up again: its secret is kept for 10 minutes.",
      );
    }
    if (!takeStep(control, row, code)) throw invalidCode();
    control.db.update(secondFactor).set({ enabledAtMs: nowMs }).where(isOf(personId)).run();
    endSessions(control, personId, keptSessionHash);
    noteFactor(control, by, personId, "two_factor_on");
    return replaceRecoveryCodes(control, personId);
  });

/** Takes a code of the app. False for one that is wrong or was used. Runs within a change. */
export const takeCode = (control: FactorControl, personId: string, code: string): boolean => {
  const row = factorOf(control, personId);
  return row !== undefined && row.enabledAtMs !== null && takeStep(control, row, code);
};

function takeStep(control: FactorControl, row: SecondFactorRow, code: string): boolean {
  const { personId, sealedSecret, lastStep } = row;
  // It was sealed with another IDENTITY_SECRET: recovery codes are left.
  const secret = sealOf(control).open(sealedSecret, personId);
  if (secret === null) return false;
  const step = stepOfCode(fromBase32(secret), code, { nowMs: clock.nowMs(), lastStep });
  if (step === null) return false;
  const isUnused = and(isOf(personId), lt(secondFactor.lastStep, step));
  return (
    control.db
      .update(secondFactor)
      .set({ lastStep: step })
      .where(isUnused)
      .returning({ lastStep: secondFactor.lastStep })
      .get() !== undefined
  );
}

/** Takes a recovery code, which is gone then. False for a wrong one. Runs within a change. */
export function takeRecoveryCode(
  control: ControlConnection,
  by: Actor,
  personId: string,
  typed: string,
): boolean {
  const hash = hashOf(personId, normalRecoveryCode(typed));
  const taken = control.db
    .delete(recoveryCode)
    .where(and(eq(recoveryCode.personId, personId), eq(recoveryCode.hash, hash)))
    .returning({ hash: recoveryCode.hash })
    .get();
  if (taken !== undefined) noteFactor(control, by, personId, "recovery_code_used");
  return taken !== undefined;
}

/** Makes new recovery codes; those of before are dead. Runs within a change. */
export function replaceRecoveryCodes(
  control: ControlConnection,
  personId: string,
): readonly string[] {
  const codes = newRecoveryCodes();
  control.db.delete(recoveryCode).where(eq(recoveryCode.personId, personId)).run();
  control.db
    .insert(recoveryCode)
    .values(codes.map((code) => ({ personId, hash: hashOf(personId, code) })))
    .run();
  return codes;
}

const hashOf = (personId: string, code: string): string => sha256Hex(`${personId} ${code}`);

/** Turns the factor off, and forgets its secret and codes. False where it was off. Runs within a change. */
export function dropFactor(control: ControlConnection, by: Actor, personId: string): boolean {
  const isOn = factorSince(control, personId) !== null;
  control.db.delete(secondFactor).where(isOf(personId)).run();
  control.db.delete(recoveryCode).where(eq(recoveryCode.personId, personId)).run();
  if (isOn) noteFactor(control, by, personId, "two_factor_off");
  return isOn;
}

const dayAt = (timeMs: number): number => Math.floor(timeMs / dayMs);

/** Milliseconds until codes of a person are looked at again; 0 when they are. */
export function lockedForMs(row: SecondFactorRow | undefined, nowMs: number): number {
  const isLocked =
    row !== undefined && row.failureDay === dayAt(nowMs) && row.failures >= codeFailuresPerDayMax;
  return isLocked ? (dayAt(nowMs) + 1) * dayMs - nowMs : 0;
}

/** Counts a wrong code, and returns how many the day has had. Runs within a change. */
export function countCodeFailure(control: ControlConnection, personId: string): number {
  const today = dayAt(clock.nowMs());
  const row = factorOf(control, personId);
  const failures = row?.failureDay === today ? row.failures + 1 : 1;
  control.db.update(secondFactor).set({ failureDay: today, failures }).where(isOf(personId)).run();
  return failures;
}

/** Writes an entry about a person's sign-in into each account of theirs. Runs within a change. */
export function noteFactor(
  control: ControlConnection,
  actor: Actor,
  personId: string,
  action: AuditAction,
  network: string | null = null,
): void {
  const email = personById(control, personId)?.email;
  noteOfPerson(control, personId, {
    ...{ actor, action, network },
    target: { type: "person", id: personId, ...(email !== undefined && { name: email }) },
  });
}

export const invalidCode = (): ApiError =>
  new ApiError(
    "INVALID_CODE",
    "This code is wrong, too old or was used. Wait for the next one, and check the clock of your phone.",
  );
