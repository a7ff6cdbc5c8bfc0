import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, readConfig } from "./config";
import { ConfigError } from "./config-error";
import { secretVariables, withSecretFiles } from "./config-secrets";

const folder = mkdtempSync(join(tmpdir(), "sightline-secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: string): string {
  const file = join(folder, "secret");
  writeFileSync(file, content);
  return file;
}

/** Returns the message with which the configuration is refused. */
function refusal(environment: Readonly<Record<string, string>>): string {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

describe("a secret in a file", () => {
  test("is what the variable itself would be, for each secret", () => {
    for (const name of secretVariables) {
      const read = withSecretFiles({ [`${name}_FILE`]: fileOf("hidden\n"), PORT: "80" });
      expect(read).toMatchObject({ [name]: "hidden", PORT: "80" });
    }
  });

  test("loses one newline at its end and nothing else", () => {
    const passwordIn = (content: string): Config["adminPassword"] =>
      readConfig({ ADMIN_PASSWORD_FILE: fileOf(content) }).adminPassword;
    expect(passwordIn("a b ")).toBe("a b ");
    expect(passwordIn("a\n")).toBe("a");
    expect(passwordIn("a\r\n")).toBe("a");
    expect(passwordIn("\na\n\n")).toBe("\na\n");
  });

  test("is refused beside the variable, when it is empty, and when nobody can read it", () => {
    for (const name of secretVariables) {
      const file = fileOf("hidden");
      const named = { [`${name}_FILE`]: file };
      expect(refusal({ ...named, [name]: "shown" })).toBe(
        `${name} and ${name}_FILE are both set. Unset one of them.`,
      );
      expect(withSecretFiles({ ...named, [name]: "" })[name]).toBe("hidden");
      expect(refusal({ [`${name}_FILE`]: join(folder, "none") })).toContain(
        `${name}_FILE: the server cannot read "${join(folder, "none")}".`,
      );
      expect(refusal({ [`${name}_FILE`]: fileOf(" \n") })).toContain(`"${file}" is empty`);
    }
  });
});

test("no refusal repeats a secret", () => {
  for (const name of secretVariables) {
    const secret = "Hidden-7";
    const wrong = { PORT: "x", DURABILITY: "x", PUBLIC_URL: "x", HOST: "x", CLICKHOUSE_URL: "x" };
    for (const [variable, value] of Object.entries(wrong)) {
      const said = refusal({ [name]: secret, [variable]: value });
      expect([name, said.includes(secret)]).toEqual([name, false]);
    }
    expect(refusal({ [name]: secret, [`${name}_FILE`]: fileOf(secret) })).not.toContain(secret);
    expect(refusal({ [name]: secret })).not.toContain(secret);
  }
});
