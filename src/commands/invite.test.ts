import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config";
import { addAccount } from "../store/control/accounts";
import { type Control, openControl } from "../store/control/control";
import { acceptInvitation } from "../store/control/invitations";
import { UsageError } from "./command";
import { invite } from "./invite";

let dataDir = "";
let control: Control;
let printed = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-invite-"));
  control = openControl({ dataDir, identitySecret: null });
  addAccount(control, { email: "owner@example.com", passwordHash: "", tier: "pro" });
  printed = "";
});
afterEach(() => {
  control.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const config = () => readConfig({ DATA_DIR: dataDir });
const run = (...parameters: string[]) =>
  invite(config(), parameters, (text) => {
    printed += text;
  });
const token = () => /invite#(ivt_[0-9a-f]{48})/.exec(printed)?.[1] ?? "";

test("prints a link that works, beside a running server and without mail", () => {
  expect(run("--email", " New@Example.com ", "--role=admin")).toBe(0);
  expect(printed).toContain("Give this link to new@example.com.");
  const joined = acceptInvitation(control, token(), { passwordHash: "hash" });
  expect(control.db.all("select role, email from member join person on id = person_id")).toEqual([
    { role: "owner", email: "owner@example.com" },
    { role: "admin", email: "new@example.com" },
  ]);
  expect(joined.personId).toMatch(/^usr_/);
});

test("prints JSON, and names the account where there are several", () => {
  const { account } = addAccount(control, {
    email: "two@example.com",
    passwordHash: "",
    tier: "free",
  });
  expect(() => run("--email", "new@example.com")).toThrow("This server has 2 accounts.");
  expect(run("--email", "new@example.com", "--account", account.id, "--json")).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({
    ...{ account: account.id, email: "new@example.com", role: "viewer" },
    url: expect.stringContaining("http://localhost:3000/invite#ivt_"),
  });
});

test("refuses what makes no sense, in words", () => {
  expect(() => run()).toThrow(UsageError);
  expect(() => run("--email", "no address")).toThrow(UsageError);
  expect(() => run("--email", "a@example.com", "--role", "owner")).toThrow(UsageError);
  expect(() => run("--email", "a@example.com", "--email", "b@example.com")).toThrow(UsageError);
  expect(() => run("--email", "a@example.com", "--account", "acc_nothing")).toThrow(
    "has no account",
  );
  expect(() => run("--email", "owner@example.com")).toThrow("is a member of the account already");
});
