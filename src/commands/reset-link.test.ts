import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config";
import { addAccount } from "../store/control/accounts";
import { type Control, openControl } from "../store/control/control";
import { personOfLink } from "../store/control/password-links";
import { UsageError } from "./command";
import { resetLink } from "./reset-link";

let dataDir = "";
let control: Control;
let printed = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-reset-link-"));
  control = openControl({ dataDir, identitySecret: null });
  printed = "";
});
afterEach(() => {
  control.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const run = (...parameters: string[]) =>
  resetLink(readConfig({ DATA_DIR: dataDir }), parameters, (text) => {
    printed += text;
  });

test("prints a link of a person, beside a running server", () => {
  const { person } = addAccount(control, { email: "a@example.com", passwordHash: "", tier: "pro" });
  expect(run("--email", "a@example.com")).toBe(0);
  expect(printed).toContain("It works once, for 24 hours.");
  const token = /\/reset#(pwt_[0-9a-f]{48})/.exec(printed)?.[1] ?? "";
  expect(personOfLink(control, token).id).toBe(person.id);
  printed = "";
  expect(run("--json", "--email=a@example.com")).toBe(0);
  expect(JSON.parse(printed).url).toStartWith("http://localhost:3000/reset#pwt_");
  expect(() => personOfLink(control, token)).toThrow("This link is over");
});

test("refuses what makes no sense, in words", () => {
  expect(() => run()).toThrow(UsageError);
  expect(() => run("--email", "a@example.com")).toThrow("has no log-in with the email");
});
