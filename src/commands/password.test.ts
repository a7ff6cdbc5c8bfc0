import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config";
import { Passwords } from "../services/passwords";
import { type Control, openControl } from "../store/control/control";
import { cookieSession } from "../store/control/member-tables";
import { addSession, personByEmail } from "../store/control/people";
import { UsageError } from "./command";
import { password } from "./password";
import { setup } from "./setup";

let dataDir = "";
let printed = "";
const output = { write: (text: string) => (printed += text) };
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-password-"));
  printed = "";
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function* lines(...texts: string[]) {
  yield* texts.map((text) => `${text}\n`);
}
const config = () => readConfig({ DATA_DIR: dataDir });
const run = (parameters: readonly string[], ...given: string[]) =>
  password(config(), parameters, lines(...given), output);
const open = (): Control => openControl({ dataDir, identitySecret: null });
const hashOf = (control: Control) => personByEmail(control, "me@example.com")?.passwordHash ?? null;

test("sets a new password beside a running server and ends the account's browser sessions", async () => {
  await setup(config(), ["--email", "me@example.com"], lines("the first one"), output);
  const server = open();
  const { id = "" } = personByEmail(server, "me@example.com") ?? {};
  addSession(server, id, "secret", { label: null, network: null });
  expect(await run(["--email", " Me@Example.com "], "the second one")).toBe(0);
  expect(await new Passwords().verify("the second one", hashOf(server))).toBe(true);
  expect(await new Passwords().verify("the first one", hashOf(server))).toBe(false);
  expect(server.db.select().from(cookieSession).all()).toEqual([]);
  expect(printed).not.toContain("second one");
  server.close();
});

test("makes one when none is given, and prints it", async () => {
  await setup(config(), ["--email", "me@example.com"], lines("the first one"), output);
  printed = "";
  await run(["--email=me@example.com"]);
  const [, made = ""] = /Password \(shown only once\): (\S{20})\n/.exec(printed) ?? [];
  const control = open();
  expect(await new Passwords().verify(made, hashOf(control))).toBe(true);
  control.close();
});

test("refuses an address without an account, a short password and a folder without data", async () => {
  await expect(run(["--email", "me@example.com"])).rejects.toThrow("contains no Sightline data");
  expect(readdirSync(dataDir)).toEqual([]);
  await setup(config(), ["--email", "me@example.com"], lines("the first one"), output);
  await expect(run(["--email", "you@example.com"])).rejects.toThrow("no account with the email");
  await expect(run(["--email", "me@example.com"], "short")).rejects.toThrow("10 to 200");
  await expect(run([])).rejects.toThrow(UsageError);
  const control = open();
  expect(await new Passwords().verify("the first one", hashOf(control))).toBe(true);
  control.close();
});
