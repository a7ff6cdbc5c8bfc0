import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config";
import { commandLine } from "../domain/audit";
import { clock } from "../lib/clock";
import { fromBase32, newTotpSecret, totpCode, totpStepAt } from "../lib/totp";
import { addAccount } from "../store/control/accounts";
import { type Control, openControl } from "../store/control/control";
import { enableFactor, factorSince, setUpFactor } from "../store/control/second-factors";
import { UsageError } from "./command";
import { twoFactor } from "./two-factor";

let dataDir = "";
let control: Control;
let printed = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-two-factor-"));
  control = openControl({ dataDir, identitySecret: null });
  printed = "";
});
afterEach(() => {
  control.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const run = (...parameters: string[]) =>
  twoFactor(readConfig({ DATA_DIR: dataDir }), parameters, (text) => {
    printed += text;
  });

test("turns the factor of somebody off, beside a running server, and notes it", () => {
  const { person } = addAccount(control, { email: "a@example.com", passwordHash: "", tier: "pro" });
  const secret = newTotpSecret();
  setUpFactor(control, person.id, secret);
  const code = totpCode(fromBase32(secret), totpStepAt(clock.nowMs()));
  enableFactor(control, commandLine, person.id, { code, keptSessionHash: null });
  expect(run("--email", " A@example.com", "--off", "--json")).toBe(0);
  expect(JSON.parse(printed)).toEqual({ email: "a@example.com", was_on: true });
  expect(factorSince(control, person.id)).toBeNull();
  expect(
    control.db.all("select action, actor_kind from audit_entry order by rowid desc limit 1"),
  ).toEqual([{ action: "two_factor_off", actor_kind: "cli" }]);
  printed = "";
  expect(run("--off", "--email=a@example.com")).toBe(0);
  expect(printed).toContain("was off already");
});

test("refuses what makes no sense, in words", () => {
  expect(() => run("--email", "a@example.com")).toThrow(UsageError);
  expect(() => run("--off")).toThrow(UsageError);
  expect(() => run("--email", "a@example.com", "--off", "--off")).toThrow(UsageError);
  expect(() => run("--email", "a@example.com", "--off")).toThrow("has no log-in with the email");
});
