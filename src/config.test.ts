import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, readConfig } from "./config";

test("COUNTRY_HEADER is the name of a header, in any case, or nothing", () => {
  expect(readConfig({ COUNTRY_HEADER: "CF-IPCountry" }).countryHeader).toBe("cf-ipcountry");
  expect(readConfig({}).countryHeader).toBeNull();
  for (const name of ["bad_header:", "two words", "ländercode"]) {
    expect(() => readConfig({ COUNTRY_HEADER: name })).toThrow(ConfigError);
  }
});

const mb = 1024 * 1024;

test("CACHE_MB is an eighth of the memory, of 256 MB at least, unless it is given", () => {
  const cacheMb = (memoryMb: number, environment = {}): number =>
    readConfig(environment, { memoryBytes: memoryMb * mb }).cacheBytes / mb;
  expect(cacheMb(512)).toBe(256);
  expect(cacheMb(2_048)).toBe(256);
  expect(cacheMb(2_056)).toBe(257);
  expect(cacheMb(24_000)).toBe(3_000);
  expect(cacheMb(24_000, { CACHE_MB: "0" })).toBe(0);
  expect(cacheMb(24_000, { CACHE_MB: "1048576" })).toBe(1_048_576);
  for (const wrong of ["-1", "1048577", "many"])
    expect(() => cacheMb(24_000, { CACHE_MB: wrong })).toThrow(ConfigError);
});

test("STRIPE_API_BASE is an origin, and looked at once payments are configured", () => {
  const payments = {
    STRIPE_SECRET_KEY: "sk_1",
    STRIPE_PRICE_ID: "price_1",
    STRIPE_WEBHOOK_SECRET: "whsec_1",
  };
  const baseOf = (STRIPE_API_BASE: string) =>
    readConfig({ ...payments, STRIPE_API_BASE }).billing?.apiBase;
  expect(baseOf("http://127.0.0.1:12111/")).toBe("http://127.0.0.1:12111");
  expect(readConfig(payments).billing?.apiBase).toBeNull();
  for (const wrong of ["api.stripe.com", "https://api.stripe.com/v1", "ftp://x"]) {
    expect(() => baseOf(wrong)).toThrow(ConfigError);
  }
  for (const name of Object.keys(payments)) {
    expect(readConfig({ ...payments, [name]: "" })).toMatchObject({
      billing: null,
      defaultTier: "pro",
    });
  }
  expect(readConfig({ ...payments, STRIPE_PRICE_ID: " " }).billingLacks).toEqual([
    "STRIPE_PRICE_ID",
  ]);
  expect(readConfig(payments).billingLacks).toEqual([]);
  expect(readConfig({}).billingLacks).toEqual([]);
  expect(readConfig(payments).defaultTier).toBe("free");
  expect(readConfig({ ...payments, DEFAULT_TIER: "pro" }).defaultTier).toBe("pro");
});

test("PUBLIC_URL is an origin, or one with a plain path", () => {
  const publicUrl = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL }).publicUrl;
  expect(publicUrl("https://stats.example.com/")).toBe("https://stats.example.com");
  expect(readConfig({ PUBLIC_URL: "https://example.com/my/stats_2.0~x/" })).toMatchObject({
    ...{ publicUrl: "https://example.com/my/stats_2.0~x", publicOrigin: "https://example.com" },
    ...{ basePath: "/my/stats_2.0~x", publicUrlIsSet: true },
  });
  expect(readConfig({ PORT: "80" })).toMatchObject({
    ...{ publicUrl: "http://localhost:80", publicOrigin: "http://localhost:80" },
    ...{ basePath: "", publicUrlIsSet: false },
  });
  expect(publicUrl(`https://example.com/${"a".repeat(99)}`)).toHaveLength(119);
  for (const wrong of [
    ...["/?query", "/#fragment", "/stats?query", "/stats#fragment", "/stats?", "/a//b", "//"],
    ...["/a b", "/a%20b", '/"', "/<b>", "/a;b", "/a,b", "/.well-known", `/${"a".repeat(100)}`],
  ]) {
    expect(() => publicUrl(`https://stats.example.com${wrong}`)).toThrow(ConfigError);
  }
  expect(() => publicUrl("https://me:secret@stats.example.com")).toThrow(ConfigError);
});

test("TRUSTED_PROXIES are addresses and ranges", () => {
  const trusts = (TRUSTED_PROXIES: string) => readConfig({ TRUSTED_PROXIES }).trustedProxies;
  expect(trusts("10.0.0.0/8, ::1").check("10.1.2.3")).toBe(true);
  for (const wrong of ["nginx", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/9", "::1/129"]) {
    expect(() => trusts(wrong)).toThrow(ConfigError);
  }
});

test("IDENTITY_SECRET is long enough not to be guessed", () => {
  const secret = "0123456789abcdef0123456789abcdef";
  expect(readConfig({ IDENTITY_SECRET: secret }).identitySecret).toBe(secret);
  expect(readConfig({}).identitySecret).toBeNull();
  const short = () => readConfig({ IDENTITY_SECRET: secret.slice(1) });
  expect(short).toThrow("IDENTITY_SECRET has 31 characters, but needs at least 32");
});

test("CLICKHOUSE_URL is an origin, and what belongs to it is checked with it", () => {
  const CLICKHOUSE_URL = "https://clickhouse.example.com:8443/";
  expect(readConfig({}).clickHouse).toBeNull();
  expect(readConfig({ CLICKHOUSE_URL }).clickHouse).toEqual({
    ...{ url: "https://clickhouse.example.com:8443", database: "sightline", user: "default" },
    cluster: null,
    ...{ password: "", certificates: null },
  });
  const folder = mkdtempSync(join(tmpdir(), "sightline-config-"));
  const secret = join(folder, "secret");
  writeFileSync(secret, "hidden\n");
  const place = readConfig({
    CLICKHOUSE_URL,
    CLICKHOUSE_PASSWORD_FILE: secret,
    CLICKHOUSE_CA_FILE: secret,
  });
  expect(place.clickHouse).toMatchObject({ password: "hidden", certificates: "hidden\n" });
  const refused = (environment: Readonly<Record<string, string>>) => () => readConfig(environment);
  const credentials = { CLICKHOUSE_URL: "https://me:hidden@clickhouse.example.com" };
  expect(refused(credentials)).toThrow("CLICKHOUSE_URL must be the origin");
  expect(refused({ CLICKHOUSE_URL: "clickhouse:9000" })).toThrow(
    "CLICKHOUSE_URL must be the origin",
  );
  expect(refused({ CLICKHOUSE_USER: "me" })).toThrow(
    "CLICKHOUSE_USER is set, but CLICKHOUSE_URL is not.",
  );
  expect(refused({ CLICKHOUSE_URL, CLICKHOUSE_DATABASE: "a.b" })).toThrow(
    "CLICKHOUSE_DATABASE must have",
  );
  expect(refused({ CLICKHOUSE_URL, CLICKHOUSE_DATABASE: "a".repeat(64) })).toThrow("1 to 63");
  expect(
    readConfig({ CLICKHOUSE_URL, CLICKHOUSE_DATABASE: "a".repeat(63) }).clickHouse?.database,
  ).toHaveLength(63);
  const both = { CLICKHOUSE_URL, CLICKHOUSE_PASSWORD: "a", CLICKHOUSE_PASSWORD_FILE: secret };
  expect(refused(both)).toThrow("Unset one of them.");
  const missing = { CLICKHOUSE_URL, CLICKHOUSE_PASSWORD_FILE: join(folder, "none") };
  expect(refused(missing)).toThrow("cannot read");
  const ofCluster = (CLICKHOUSE_CLUSTER: string) => ({ CLICKHOUSE_URL, CLICKHOUSE_CLUSTER });
  for (const name of ["main", "eu-1.main_2", "a".repeat(63)]) {
    expect(readConfig(ofCluster(name)).clickHouse?.cluster).toBe(name);
  }
  for (const name of ["-main", "it's", "{cluster}", "a".repeat(64)]) {
    expect(refused(ofCluster(name))).toThrow("CLICKHOUSE_CLUSTER must be a name from");
  }
  expect(refused({ CLICKHOUSE_CLUSTER: "main" })).toThrow("CLICKHOUSE_URL is not");
  rmSync(folder, { recursive: true });
});

test("OAUTH_REDIRECT_ORIGINS are https origins, * for all of them, or those of known clients", () => {
  const origins = (OAUTH_REDIRECT_ORIGINS?: string) =>
    readConfig(OAUTH_REDIRECT_ORIGINS === undefined ? {} : { OAUTH_REDIRECT_ORIGINS })
      .oauthRedirectOrigins;
  expect(origins()).toEqual([
    "https://claude.ai",
    "https://claude.com",
    "https://chatgpt.com",
    "https://vscode.dev",
    "https://insiders.vscode.dev",
    "https://www.cursor.com",
  ]);
  expect(origins(" https://a.example , https://b.example:8443/")).toEqual([
    "https://a.example",
    "https://b.example:8443",
  ]);
  expect(origins("*")).toBeNull();
  for (const wrong of ["http://a.example", "a.example", "https://a.example/x", "https://a, *"]) {
    expect(() => origins(wrong)).toThrow(ConfigError);
  }
});

test("BACKUP_URL is a folder outside of DATA_DIR, or a bucket", () => {
  const read = (more: Record<string, string>) => () =>
    readConfig({ DATA_DIR: "/srv/data", BACKUP_URL: "file:///srv/copies", ...more });
  for (const folder of ["/srv/copies", "/srv/data-copies", "/srv"]) {
    expect(read({ BACKUP_URL: `file://${folder}` })().backups?.place).toEqual({
      ...{ kind: "folder", folder },
    });
  }
  for (const folder of ["/srv/data", "/srv/data/", "/srv/data/copies", "/srv/data/a/../b"]) {
    expect(read({ BACKUP_URL: `file://${folder}` })).toThrow("BACKUP_URL is within DATA_DIR");
  }
  const keys = { BACKUP_S3_ACCESS_KEY_ID: "id", BACKUP_S3_SECRET_ACCESS_KEY: "secret" };
  const bucket = { BACKUP_URL: "s3://copies/shop", ...keys };
  const isVirtual = (value: string) =>
    read({ ...bucket, BACKUP_S3_VIRTUAL_HOST: value })().backups?.place;
  expect(isVirtual("true")).toMatchObject({ isVirtualHosted: true });
  expect(isVirtual("false")).toMatchObject({ isVirtualHosted: false });
  expect(() => isVirtual("maybe")).toThrow("BACKUP_S3_VIRTUAL_HOST must be true or false.");
});
