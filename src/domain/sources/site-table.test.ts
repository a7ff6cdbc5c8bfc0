import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { direct, mediumOf, nameOfHost, nameOfSource } from "./channel";
import { hostOf, isOwn, ownHostsOf } from "./referrer";
import { siteKinds, siteOfHost, siteOfSource, siteTable, siteTableVersion } from "./site-table";

const entries = siteKinds.flatMap((kind) =>
  Object.entries(siteTable[kind]).flatMap(([name, hosts]) =>
    hosts.split(" ").map((host) => ({ kind, name, host })),
  ),
);

describe("the host table", () => {
  test("names at least 400 hosts of each kind of site, and 30 assistants", () => {
    expect(entries.length).toBeGreaterThan(400);
    expect(Object.keys(siteTable.assistant).length).toBeGreaterThanOrEqual(30);
    for (const kind of siteKinds) expect(Object.keys(siteTable[kind]).length).toBeGreaterThan(20);
  });

  test("has each host once, as hosts are written, and each name once", () => {
    const hosts = entries.map(({ host }) => host);
    expect(hosts.filter((host, at) => hosts.indexOf(host) !== at)).toEqual([]);
    const form = /^[a-z0-9-]+(\.[a-z0-9-_]+)*(\.\*)?$/;
    expect(hosts.filter((host) => !form.test(host) || host.startsWith("www."))).toEqual([]);
    const names = siteKinds.flatMap((kind) => Object.keys(siteTable[kind]));
    const small = names.map((name) => name.toLowerCase().replace(/[ _-]/g, ""));
    expect(small.filter((name, at) => small.indexOf(name) !== at)).toEqual([]);
  });

  test("gives each of its hosts back", () => {
    for (const { kind, name, host } of entries) {
      expect({ host, ...siteOfHost(host.replace("*", "de")) }).toEqual({ host, name, kind });
      expect({ host, ...siteOfHost(`a.b.${host.replace("*", "co.uk")}`) }).toMatchObject({ host });
    }
  });

  // A change of the table changes answers: with it comes a new version, here and in definitions.md.
  test("is the one that its version names", () => {
    const hash = createHash("sha256").update(JSON.stringify(siteTable)).digest("hex").slice(0, 16);
    expect([siteTableVersion, hash]).toEqual(["2026-11.1", "a0692c9eaed58c7a"]);
    const definitions = readFileSync(`${import.meta.dir}/../../docs/definitions.md`, "utf8");
    expect(definitions).toContain(`version \`${siteTableVersion}\``);
  });
});

describe("the site of a host", () => {
  test.each([
    ["google.com", "Google"],
    ["google.de", "Google"],
    ["google.co.uk", "Google"],
    ["google.com.br", "Google"],
    ["anything.google.com", "Google"],
    ["mail.google.com", "Gmail"],
    ["deep.mail.google.com", "Gmail"],
    ["news.google.co.jp", "Google News"],
    ["google.evil.com", null],
    ["google.com.evil.com", null],
    ["google.com.evil.de", null],
    ["google.evil.co.uk", null],
    ["google.info", null],
    ["google.co.com", null],
    ["notgoogle.com", null],
    ["google", null],
    ["com", null],
    ["x.com", "X"],
    ["netflix.com", "Netflix"],
    ["at.co", null],
    ["constructor", null],
    ["", null],
  ])("%s is %p", (host, name) => {
    expect(siteOfHost(host)?.name ?? null).toBe(name);
  });

  test.each([
    ["google", "Google"],
    [" GOOGLE ", "Google"],
    ["hacker news", "Hacker News"],
    ["www.google.de", "Google"],
    ["chatgpt.com", "ChatGPT"],
    ["fb", "Facebook"],
    ["newsletter", null],
    ["__proto__", null],
    ["a".repeat(10_000), null],
  ])("the source %p is %p", (source, name) => {
    expect(siteOfSource(source)?.name ?? null).toBe(name);
  });
});

describe("the name of a utm_source", () => {
  test.each([
    ["google", "Google"],
    ["Google", "Google"],
    [" google.com\t", "Google"],
    ["fb", "Facebook"],
    ["IG", "Instagram"],
    ["Twitter", "X"],
    ["producthunt", "Product Hunt"],
    ["Hacker-News", "Hacker News"],
    ["stack_overflow", "Stack Overflow"],
    ["google-ads", "Google"],
    ["Google Ads", "Google Ads"],
    ["pro-duct.hunt", "pro-duct.hunt"],
    ["chatgpt.com", "ChatGPT"],
    [" Spring Newsletter ", "spring newsletter"],
    ["ÄÖÜ", "äöü"],
    ["DIRECT", direct],
    ["", null],
    [" \n", null],
    ["A".repeat(10_000), "a".repeat(10_000)],
  ])("%p is %p", (source, name) => {
    expect(nameOfSource(source)).toBe(name);
  });

  test("a name is its own name, so that a filter finds what an answer shows", () => {
    const hosts = entries.map(({ host }) => host.replace("*", "de"));
    const withoutDot = ["google", "fb", "direct", "intranet"];
    const shown = [
      ...[...hosts, ...withoutDot].map(nameOfHost),
      ...entries.map(({ name }) => name),
      ...["news.example", direct, "newsletter", "ß", "i̇"],
    ];
    for (const name of shown) expect(nameOfSource(name)).toBe(name);
    const named = entries.map(({ name }) => name).filter((name) => /^\S+\.\S+$/.test(name));
    for (const name of named) expect(nameOfHost(name.toLowerCase())).toBe(name);
  });
});

describe("the host of a referrer", () => {
  test.each([
    ["https://www.Example.com:8080/a?b#c", "example.com"],
    ["HTTP://user:secret@Example.COM./", "example.com"],
    ["https://www.www.example.com", "www.example.com"],
    ["https://www.com", "www.com"],
    ["https://bücher.example", "xn--bcher-kva.example"],
    ["https://[2001:DB8::1]:80/", "[2001:db8::1]"],
    ["android-app://com.example.app/https/x", "com.example.app"],
    ["https://example.com\\@evil.com/", "example.com"],
    ["https://example.com?@evil.com/", "example.com"],
    ["https://exa mple.com/", null],
    ["https://exa\tmple.com/", null],
    [" https://example.com/", null],
    ["ftp://example.com/", null],
    ["about:blank", null],
    ["example.com", null],
    ["https://", null],
    ["https://:80/", null],
    ["https://@/", null],
    ["", null],
  ])("of %p is %p", (referrer, host) => {
    expect(hostOf(referrer)).toBe(host);
  });
  test("is there however long its path is, and none when it is too long itself", () => {
    const long = "a".repeat(10_000);
    expect(hostOf(`https://example.com/${long}`)).toBe("example.com");
    expect(hostOf(`https://${long}.example/`)).toBeNull();
  });

  test("is the project's own on its domain, its origins and below them", () => {
    const own = ownHostsOf({
      primaryDomain: "https://www.shop.example",
      allowedOrigins:
        "*,https://*.other.example,http://localhost:3000,myapp://bundle,https://[::1]:80",
    });
    expect(own).toEqual(["[::1]", "bundle", "localhost", "other.example", "shop.example"]);
    expect(isOwn("shop.example", own) && isOwn("a.b.shop.example", own)).toBe(true);
    expect(isOwn("notshop.example", own) || isOwn("shop.example.evil", own)).toBe(false);
    expect(ownHostsOf({ primaryDomain: "https://a.example", allowedOrigins: "*" })).toEqual([
      "a.example",
    ]);
  });
});

test.each([
  ["cpc", "paid"],
  ["PPC", "paid"],
  ["paid", "paid"],
  ["paidsearch", "paid search"],
  ["paid_search", "paid search"],
  ["Paid Social", "paid social"],
  ["gclid", "paid search"],
  ["li_fat_id", "paid social"],
  ["video-ads", "video"],
  ["ads", "paid"],
  ["unpaid", "other"],
  ["e-mail", "email"],
  ["organic", "other"],
  ["constructor", "other"],
] as const)("utm_medium %p says %p", (text, medium) => {
  expect(mediumOf(text)).toBe(medium);
});

test("a long utm_medium says nothing of its own", () => {
  expect(mediumOf("cpc".repeat(5_000))).toBe("other");
});
