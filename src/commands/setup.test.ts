import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config";
import { sha256Hex } from "../lib/ids";
import { Passwords } from "../services/passwords";
import { accountsOfPeople } from "../store/control/accounts";
import { openControl } from "../store/control/control";
import { lockFolder } from "../store/lock";
import { UsageError } from "./command";
import { type Input, passwordFrom } from "./password-input";
import { setup } from "./setup";

let dataDir = "";
let printed = "";
const output = { write: (text: string) => (printed += text) };
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-setup-"));
  printed = "";
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function* chunks(texts: readonly string[]) {
  yield* texts.map((text) => new TextEncoder().encode(text));
}
const piped = (...texts: string[]): Input => chunks(texts);
/** Keys typed at a terminal, which says whether it would have shown them. */
const typed = (...texts: string[]): Input & { readonly modes: boolean[] } => {
  const modes: boolean[] = [];
  const setRawMode = (isRaw: boolean) => modes.push(isRaw);
  return Object.assign(chunks(texts), { isTTY: true, setRawMode, modes });
};
const run = (parameters: readonly string[], input: Input = piped()) =>
  setup(readConfig({ DATA_DIR: dataDir }), parameters, input, output);
const accounts = () => {
  const control = openControl({ dataDir, identitySecret: null });
  const rows = accountsOfPeople(control);
  control.close();
  return rows;
};

describe("sightline setup", () => {
  test("makes the administrator with the password that is piped in, and prints a key", async () => {
    expect(await run(["--email", " Me@Example.com "], piped("correct horse\nmore\n"))).toBe(0);
    const [row] = accounts();
    expect(row?.account).toMatchObject({ complimentary: true });
    expect(row?.person).toMatchObject({ email: "me@example.com", isAdmin: true });
    expect(await new Passwords().verify("correct horse", row?.person.passwordHash ?? null)).toBe(
      true,
    );
    expect(printed).toContain("http://localhost:3000/login");
    expect(printed).not.toContain("correct horse");
    const [key = ""] = /aak_[0-9a-f]{48}/.exec(printed) ?? [];
    const control = openControl({ dataDir, identitySecret: null });
    expect(control.credentials.holderOfKey(sha256Hex(key))?.account.id).toBe(row?.account.id ?? "");
    control.close();
  });

  test("makes a password when none is given, and prints it", async () => {
    await run(["--email=me@example.com"]);
    const [, password = ""] = /Password \(shown only once\): (\S{20})\n/.exec(printed) ?? [];
    expect(await new Passwords().verify(password, accounts()[0]?.person.passwordHash ?? null)).toBe(
      true,
    );
  });

  test("works beside a running server, which knows the account at once", async () => {
    const server = openControl({ dataDir, identitySecret: null });
    expect(server.hasAccounts()).toBe(false);
    await run(["--email", "me@example.com"]);
    expect(server.hasAccounts()).toBe(true);
    server.close();
  });

  test("refuses a second account before it asks for a password", async () => {
    await run(["--email", "me@example.com"]);
    const untouched: Input = {
      [Symbol.asyncIterator]: () => {
        throw new Error("the password was asked for");
      },
    };
    await expect(run(["--email", "you@example.com"], untouched)).rejects.toThrow(
      "already has an account",
    );
    expect(accounts()).toHaveLength(1);
  });

  test("does not make a folder where nobody named one, as a server may run on another", async () => {
    const elsewhere = { ...readConfig({}), dataDir: join(dataDir, "data") };
    const making = setup(elsewhere, ["--email", "me@example.com"], piped(), output);
    await expect(making).rejects.toThrow(`${join(dataDir, "data")} contains no Sightline data`);
    expect(existsSync(join(dataDir, "data"))).toBe(false);
  });

  test("names the address of the server that runs on the folder", async () => {
    const lock = lockFolder(dataDir);
    lock.tellAddress("https://stats.example.com", "http://127.0.0.1:3000");
    await run(["--email", "me@example.com"]);
    expect(printed).toContain("Log in at https://stats.example.com/login");
    lock.release();
  });

  test.each([
    [[]],
    [["--email"]],
    [["me@example.com"]],
    [["--email", "a@example.com", "more"]],
    [["--email=a@example.com", "more"]],
    [["--mail", "a@example.com"]],
    [["--email", "nobody"]],
    [["--email="]],
  ])("is wrong usage with %j", async (parameters) => {
    await expect(run(parameters)).rejects.toThrow(UsageError);
  });

  test.each([
    ["nobody", "correct horse", "must be an email address"],
    ["me@example.com", "too short", "10 to 200"],
    ["me@example.com", "x".repeat(201), "10 to 200"],
  ])("makes nothing of %s with %s", async (email, password, reason) => {
    await expect(run(["--email", email], piped(`${password}\n`))).rejects.toThrow(reason);
    expect(accounts()).toEqual([]);
  });
});

describe("a password at a terminal", () => {
  test("is typed twice, without an echo", async () => {
    const input = typed("correct hor", "se\r", "correct horse\r");
    expect(await passwordFrom(input, output)).toBe("correct horse");
    expect(input.modes).toEqual([true, false]);
    expect(printed).not.toContain("horse");
  });

  test("can be corrected, by whole characters", async () => {
    const input = typed("correct 𝒳\u007f\u007f horse\r", "correct horse\r");
    expect(await passwordFrom(input, output)).toBe("correct horse");
  });

  test("is asked for once when it is left empty", async () => {
    expect(await passwordFrom(typed("\r"), output)).toBe("");
    expect(printed).not.toContain("again");
  });

  test("that differs the second time, or is given up, leaves the terminal as it was", async () => {
    for (const keys of [["one password\r", "another one\r"], ["corr\u0003"]]) {
      const input = typed(...keys);
      await expect(passwordFrom(input, output)).rejects.toThrow("Nothing was changed");
      expect(input.modes).toEqual([true, false]);
    }
  });
});

test("a piped password ends with its line, however the line ends", async () => {
  expect(await passwordFrom(piped("correct", " horse\r\nmore"), output)).toBe("correct horse");
  expect(await passwordFrom(piped("correct horse"), output)).toBe("correct horse");
  expect(await passwordFrom(piped(""), output)).toBe("");
});
