import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine } from "../../domain/audit";
import { clock } from "../../lib/clock";
import { fromBase32, newTotpSecret, totpCode, totpStepAt } from "../../lib/totp";
import { addAccount } from "./accounts";
import { type Control, openControl } from "./control";
import {
  codeFailuresPerDayMax,
  countCodeFailure,
  enableFactor,
  factorOf,
  lockedForMs,
  setUpFactor,
  takeCode,
  takeRecoveryCode,
} from "./second-factors";

const nowMs = Date.UTC(2026, 0, 14, 12);
let dataDir = "";
let restoreClock: () => void;
beforeEach(() => {
  restoreClock = clock.replace(() => nowMs);
  dataDir = mkdtempSync(join(tmpdir(), "sightline-factor-"));
});
afterEach(() => {
  restoreClock();
  rmSync(dataDir, { recursive: true, force: true });
});

const open = (identitySecret: string | null = null): Control =>
  openControl({ dataDir, identitySecret });

test("a code that was taken, and wrong ones, count after a restart that nobody prepared", () => {
  const control = open();
  const { person } = addAccount(control, { email: "a@example.com", passwordHash: "", tier: "pro" });
  const secret = newTotpSecret();
  const code = (off: number) => totpCode(fromBase32(secret), totpStepAt(nowMs) + off);
  setUpFactor(control, person.id, secret);
  const [recovery = ""] = enableFactor(control, commandLine, person.id, {
    ...{ code: code(-1), keptSessionHash: null },
  });
  const take = (at: Control, off: number) => at.write(() => takeCode(at, person.id, code(off)));
  expect(take(control, 0)).toBe(true);
  control.write(() => takeRecoveryCode(control, commandLine, person.id, recovery));
  for (let n = 0; n < codeFailuresPerDayMax; n++) {
    control.write(() => countCodeFailure(control, person.id));
  }
  // The first connection is left as a kill leaves it.
  const again = open();
  expect(take(again, 0)).toBe(false);
  expect(take(again, 1)).toBe(true);
  expect(again.write(() => takeRecoveryCode(again, commandLine, person.id, recovery))).toBe(false);
  expect(lockedForMs(factorOf(again, person.id), nowMs)).toBeGreaterThan(0);
  again.close();
  control.close();
});

test("with another IDENTITY_SECRET no code is right, and recovery codes still are", () => {
  const control = open("a secret of at least thirty-two characters");
  const { person } = addAccount(control, { email: "a@example.com", passwordHash: "", tier: "pro" });
  const secret = newTotpSecret();
  const code = (off: number) => totpCode(fromBase32(secret), totpStepAt(nowMs) + off);
  setUpFactor(control, person.id, secret);
  const proof = { code: code(0), keptSessionHash: null };
  const [recovery = ""] = enableFactor(control, commandLine, person.id, proof);
  control.close();
  const other = open("another secret of at least thirty-two characters");
  expect(other.write(() => takeCode(other, person.id, code(1)))).toBe(false);
  expect(other.write(() => takeRecoveryCode(other, commandLine, person.id, recovery))).toBe(true);
  other.close();
});
