import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "./config";

const whole = {
  ...{ OIDC_ISSUER: "https://login.example.com", OIDC_CLIENT_ID: "sightline" },
  OIDC_CLIENT_SECRET: "secret",
};
const settings = (more: Record<string, string> = {}) => readConfig({ ...whole, ...more }).oidc;
const refused = (variables: Record<string, string>) => expect(() => readConfig(variables));

describe("single sign-on", () => {
  test("is off while nothing is set, and on with all three", () => {
    expect(readConfig({}).oidc).toBeNull();
    expect(settings()).toEqual({
      ...{ issuer: "https://login.example.com", clientId: "sightline", clientSecret: "secret" },
      ...{ name: "Single sign-on", scopes: "openid email profile", join: null },
      ...{ trustsEmail: false, isOnly: false },
    });
  });

  test.each(Object.keys(whole))("is refused without %s alone", (name) => {
    refused({ ...whole, [name]: "" }).toThrow(`Set ${name}, or none of them.`);
  });

  test("needs an encrypted provider, or one of this machine", () => {
    for (const issuer of ["http://login.example.com", "login.example.com", "ftp://localhost"]) {
      refused({ ...whole, OIDC_ISSUER: issuer }).toThrow("OIDC_ISSUER must be an https address");
    }
    for (const issuer of ["http://localhost:8080/realms/a", "http://127.0.0.1", "http://[::1]:1"]) {
      expect(settings({ OIDC_ISSUER: issuer })?.issuer).toBe(issuer);
    }
  });

  test("lets join by domain with an account and domains, or with neither", () => {
    const account = { OIDC_JOIN_ACCOUNT: "acc_0123456789abcdef" };
    const domains = { OIDC_DOMAINS: " Example.com, corp.example " };
    expect(settings({ ...account, ...domains, OIDC_JOIN_ROLE: "editor" })?.join).toEqual({
      ...{ accountId: "acc_0123456789abcdef", role: "editor" },
      domains: ["example.com", "corp.example"],
    });
    refused({ ...whole, ...account }).toThrow("belong together");
    refused({ ...whole, ...domains }).toThrow("belong together");
    refused({ ...whole, ...account, OIDC_DOMAINS: "@example.com" }).toThrow("OIDC_DOMAINS must be");
    refused({ ...whole, ...domains, OIDC_JOIN_ACCOUNT: "main" }).toThrow("OIDC_JOIN_ACCOUNT an id");
    refused({ ...whole, OIDC_JOIN_ROLE: "owner" }).toThrow("OIDC_JOIN_ROLE must be one of");
  });

  test("has a name of up to 64 characters, and is no only way while it is off", () => {
    expect(settings({ OIDC_NAME: "x".repeat(64) })?.name).toHaveLength(64);
    refused({ ...whole, OIDC_NAME: "x".repeat(65) }).toThrow("at most 64 characters");
    refused({ OIDC_ONLY: "true" }).toThrow("OIDC_ONLY needs OIDC_ISSUER");
  });

  test("takes its secret from a file", () => {
    const folder = mkdtempSync(join(tmpdir(), "sightline-oidc-"));
    const file = join(folder, "secret");
    writeFileSync(file, "from a file\n");
    const { OIDC_CLIENT_SECRET: _, ...others } = whole;
    expect(readConfig({ ...others, OIDC_CLIENT_SECRET_FILE: file }).oidc?.clientSecret).toBe(
      "from a file",
    );
    rmSync(folder, { recursive: true });
  });
});
