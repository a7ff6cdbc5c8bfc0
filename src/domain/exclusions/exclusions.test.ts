import { describe, expect, test } from "bun:test";
import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { cases } from "../../../test/support/random/cases";
import { ipv6Of } from "../../lib/ip-address";
import { Exclusions } from "./exclusions";
import { Networks, networkNamed, ownNetworkOf } from "./networks";
import { Patterns } from "./patterns";
import { exclusionRulesMax, exclusionRulesOf, noRules } from "./rules";

const numRuns = cases(300, 20_000);

describe("networks", () => {
  const ipv4 = fc.ipV4();
  // Few distinct groups, so that random addresses share their first bits.
  const group = fc.constantFrom("0", "1", "db8", "2001", "8000", "ffff");
  const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((all) => all.join(":"));
  const address = fc.oneof(ipv4, ipv6, fc.ipV6());
  const network = fc.oneof(
    fc.tuple(ipv4, fc.integer({ min: 8, max: 32 })),
    fc.tuple(ipv6, fc.integer({ min: 19, max: 128 })),
  );

  test("hold the addresses that the standard library's list holds", () => {
    fc.assert(
      fc.property(fc.array(network, { maxLength: 8 }), address, (rules, visitor) => {
        // In one list an IPv4 address would be in an IPv6 network, too.
        const lists = { 4: new BlockList(), 6: new BlockList() };
        const listOf = (text: string) => lists[isIP(text) === 4 ? 4 : 6];
        const kindOf = (text: string) => (isIP(text) === 4 ? "ipv4" : "ipv6");
        const names = rules.map(([base, bits]) => {
          listOf(base).addSubnet(base, bits, kindOf(base));
          return networkNamed(`${base}/${bits}`);
        });
        const [first, second, third] = ipv6Of(visitor) ?? [];
        const isMapped = first === 0 && second === 0 && third === 0xffff;
        fc.pre(names.every((name) => name !== null) && !isMapped);
        const held = new Networks(names.filter((name) => name !== null)).has(visitor);
        expect(held).toBe(listOf(visitor).check(visitor, kindOf(visitor)));
        // Each network holds its own addresses.
        for (const [at, [base]] of rules.entries())
          expect(new Networks([names[at] ?? ""]).has(base)).toBe(true);
      }),
      { numRuns },
    );
  });

  test("have one normal form, which names the same network again", () => {
    expect(networkNamed("192.0.2.77/24")).toBe("192.0.2.0/24");
    expect(networkNamed("192.0.2.77")).toBe("192.0.2.77/32");
    expect(networkNamed("2001:DB8:0:0:0:0:0:1/48")).toBe("2001:db8::/48");
    expect(networkNamed("::1")).toBe("::1/128");
    fc.assert(
      fc.property(network, ([base, bits]) => {
        const name = networkNamed(`${base}/${bits}`);
        if (name !== null) expect(networkNamed(name)).toBe(name);
      }),
      { numRuns },
    );
  });

  test("are refused where they are wider than an owner can mean, and where they are none", () => {
    expect(networkNamed("10.0.0.0/8")).toBe("10.0.0.0/8");
    expect(networkNamed("10.0.0.0/7")).toBeNull();
    expect(networkNamed("2001:a000::/19")).toBe("2001:a000::/19");
    expect(networkNamed("2001:a000::/18")).toBeNull();
    const others = ["", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/-8", "10.0.0/8"];
    for (const text of [...others, "::/0", "::1/129", "fe80::1%eth0", "::ffff:192.0.2.1", "host"])
      expect(networkNamed(text)).toBeNull();
  });

  test("of one's own are an address, or the 64 bits of a site", () => {
    expect(ownNetworkOf("192.0.2.77")).toBe("192.0.2.77/32");
    expect(ownNetworkOf("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
    expect(ownNetworkOf("fe80::1%eth0")).toBe("fe80::/64");
    expect(ownNetworkOf(null)).toBeNull();
  });

  test("IPv6 addresses are read in every way of writing them", () => {
    expect(ipv6Of("2001:db8::192.0.2.1")).toEqual([0x20010db8, 0, 0, 0xc0000201]);
    expect(ipv6Of("::")).toEqual([0, 0, 0, 0]);
    expect(ipv6Of("fe80::1%eth0")).toEqual([0xfe800000, 0, 0, 1]);
    for (const text of ["", "192.0.2.1", ":::", "1::2::3", "12345::"])
      expect(ipv6Of(text)).toBeNull();
  });
});

describe("patterns", () => {
  /** Tries every place for every star. */
  const naive = (pattern: string, text: string): boolean => {
    if (pattern === "") return text === "";
    if (!pattern.startsWith("*"))
      return (
        text.startsWith(pattern[0] ?? "") && text !== "" && naive(pattern.slice(1), text.slice(1))
      );
    return Array.from({ length: text.length + 1 }, (_, at) => text.slice(at)).some((rest) =>
      naive(pattern.slice(1), rest),
    );
  };
  const over = (letters: string, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...letters), maxLength });

  test("match what a naive matcher matches", () => {
    fc.assert(
      fc.property(fc.array(over("ab*", 8), { maxLength: 3 }), over("ab", 12), (texts, text) => {
        expect(new Patterns(texts).has(text)).toBe(texts.some((one) => naive(one, text)));
      }),
      { numRuns: cases(2_000, 100_000) },
    );
  });

  test("take a time that is linear in the text", () => {
    // The worst for a matcher that goes back: every beginning nearly matches. Steps are counted, as machines differ.
    let steps = 0;
    const counted = (length: number) => {
      steps = 0;
      const text = {
        ...{ length, startsWith: () => true, endsWith: () => true },
        charCodeAt: () => {
          steps++;
          return "a".charCodeAt(0);
        },
      };
      new Patterns([`*${"a".repeat(120)}b*${"a".repeat(120)}b*`]).has(text as unknown as string);
      return steps;
    };
    expect(counted(8_000)).toBeLessThanOrEqual(8_000);
  });
});

describe("rules", () => {
  const rulesOf = (sent: Parameters<typeof exclusionRulesOf>[0]) => () => exclusionRulesOf(sent);

  test("are brought into their normal form, each once", () => {
    expect(
      exclusionRulesOf({
        ips: ["192.0.2.7", "192.0.2.7/32"],
        countries: ["de", "DE"],
        paths: ["/admin/*", "/admin/*", "/Admin"],
        hostnames: ["Staging.Example.com", "*.example.org", "bücher.example", "[2001:db8::1]"],
      }),
    ).toEqual({
      ips: ["192.0.2.7/32"],
      countries: ["DE"],
      paths: ["/admin/*", "/Admin"],
      hostnames: ["staging.example.com", "*.example.org", "xn--bcher-kva.example", "[2001:db8::1]"],
    });
    expect(exclusionRulesOf({})).toEqual(noRules);
  });

  test("a rule that would exclude everything, or nothing, is refused with its place", () => {
    expect(rulesOf({ ips: ["192.0.2.7", "0.0.0.0/0"] })).toThrow(/"ips\[1\]"/);
    for (const country of ["D", "DEU", "D1"]) expect(rulesOf({ countries: [country] })).toThrow();
    for (const path of ["*", "**", "admin"])
      expect(rulesOf({ paths: [path] })).toThrow(/begins with/);
    for (const host of ["*", "https://a.example", "a.example:8080", "a/b", " "])
      expect(rulesOf({ hostnames: [host] })).toThrow(/without scheme/);
    expect(exclusionRulesMax).toBe(100);
  });
});

describe("an event's page", () => {
  const exclusions = new Exclusions({
    ...noRules,
    ...{ paths: ["/admin/*", "/exact"], hostnames: ["staging.example.com", "*.dev"] },
  });
  const of = (page: Partial<Parameters<Exclusions["ofPage"]>[0]>) =>
    exclusions.ofPage({ path: null, hostname: null, url: null, ...page });

  test("is its path and hostname, else those of its URL", () => {
    expect(of({ path: "/admin/users" })).toBe("path");
    expect(of({ path: "/exact" })).toBe("path");
    expect(of({ path: "/exact/more" })).toBeNull();
    expect(of({ url: "https://shop.example/admin/?q=1" })).toBe("path");
    expect(of({ url: "/admin/?q=1" })).toBe("path");
    expect(of({ path: "/", url: "https://shop.example/admin/" })).toBeNull();
    expect(of({ hostname: "STAGING.example.com" })).toBe("hostname");
    expect(of({ url: "https://shop.dev/" })).toBe("hostname");
    expect(of({ hostname: "shop.example", url: "https://shop.dev/" })).toBeNull();
    expect(of({ url: "mailto:a@shop.dev" })).toBeNull();
    expect(of({})).toBeNull();
  });
});
