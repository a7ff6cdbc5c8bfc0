import { describe, expect, test } from "bun:test";
import { readConfig } from "../../config";
import { isLocal, peerReader, shownNetworkOf } from "./address";

const proxied = peerReader(
  readConfig({ TRUSTED_PROXIES: "10.0.0.0/8, 2001:db8::/32" }).trustedProxies,
);
const direct = peerReader(readConfig({}).trustedProxies);
const forwarded = (...hops: string[]) => new Headers({ "x-forwarded-for": hops.join(", ") });

describe("the client's address", () => {
  test("is the socket's peer when it is no trusted proxy, whatever the headers say", () => {
    for (const read of [direct, proxied]) {
      expect(read("192.0.2.1", forwarded("198.51.100.7"))).toEqual({
        socket: "192.0.2.1",
        isTrustedProxy: false,
        address: "192.0.2.1",
      });
    }
  });

  test("is the right-most entry that is no trusted proxy", () => {
    const headers = forwarded("203.0.113.9", "198.51.100.7", "10.1.1.1", "2001:db8::5");
    expect(proxied("10.0.0.1", headers)).toEqual({
      socket: "10.0.0.1",
      isTrustedProxy: true,
      address: "198.51.100.7",
    });
  });

  test("is the proxy's own where it forwards for nobody but proxies", () => {
    expect(proxied("10.0.0.1", new Headers()).address).toBe("10.0.0.1");
    expect(proxied("10.0.0.1", forwarded("10.2.2.2")).address).toBe("10.0.0.1");
  });

  test.each([
    ["192.0.2.9:5123", "192.0.2.9"],
    ["192.0.2.9:0", "192.0.2.9"],
    ["[2a02:db8::9]:443", "2a02:db8::9"],
    ["[2a02:db8::9]", "2a02:db8::9"],
    ["2a02:db8::9", "2a02:db8::9"],
    ["::ffff:192.0.2.9", "192.0.2.9"],
    ["[::ffff:192.0.2.9]:80", "192.0.2.9"],
    ["192.0.2.9:123456", null],
    ["192.0.2.9:", null],
    ["[2a02:db8::9", null],
    ["[2a02:db8::9]443", null],
    ["300.0.2.9:80", null],
    ["localhost:80", null],
  ])("is read from the entry %s", (entry, address) => {
    expect(proxied("10.0.0.1", forwarded("203.0.113.9", entry)).address).toBe(address);
  });

  test("is found left of proxies that add their port", () => {
    const headers = forwarded("203.0.113.9:1", "10.1.1.1:2", "[2001:db8::5]:3");
    expect(proxied("10.0.0.1", headers).address).toBe("203.0.113.9");
  });

  test.each([
    ["for=192.0.2.9", "192.0.2.9"],
    ["For=192.0.2.9;proto=http;by=203.0.113.43", "192.0.2.9"],
    ["proto=https; for = 192.0.2.9", "192.0.2.9"],
    ['for="192.0.2.9:47011"', "192.0.2.9"],
    ['for="[2a02:db8::17]:4711"', "2a02:db8::17"],
    ['for="[2A02:DB8::17]"', "2A02:DB8::17"],
    ["for=203.0.113.9, for=192.0.2.9", "192.0.2.9"],
    ["for=203.0.113.9, for=10.1.1.1;by=10.1.1.2", "203.0.113.9"],
    ['for=203.0.113.9, for="192.0.2.9";host="a, for=10.0.0.2"', "192.0.2.9"],
    ["for=203.0.113.9, for=unknown", null],
    ["for=203.0.113.9, for=_hidden", null],
    ["for=203.0.113.9, proto=https", null],
    ['for=203.0.113.9, for="192.0.2.9', null],
    ['for=203.0.113.9, x="\\"', null],
    ["", "10.0.0.1"],
    [", ,", "10.0.0.1"],
  ])("is read from Forwarded: %s", (value, address) => {
    const headers = new Headers({ forwarded: value });
    expect(proxied("10.0.0.1", headers).address).toBe(address);
    expect(direct("192.0.2.1", headers).address).toBe("192.0.2.1");
  });

  test("is what X-Forwarded-For says where both came", () => {
    const headers = new Headers({ forwarded: "for=203.0.113.9", "x-forwarded-for": "192.0.2.9" });
    expect(proxied("10.0.0.1", headers).address).toBe("192.0.2.9");
  });

  test("is unknown where the entry is no address, and nothing left of it is believed", () => {
    expect(proxied("10.0.0.1", forwarded("203.0.113.9", "unknown")).address).toBeNull();
  });

  test("of a dual-stack socket is written as IPv4", () => {
    expect(direct("::ffff:192.0.2.1", new Headers()).address).toBe("192.0.2.1");
    expect(proxied("::ffff:10.0.0.1", forwarded("::ffff:192.0.2.9")).address).toBe("192.0.2.9");
  });

  test("is not known where the socket's is not", () => {
    expect(direct(null, forwarded("192.0.2.1")).address).toBeNull();
  });
});

describe("a request is local", () => {
  const local = (socket: string | null, more: Readonly<Record<string, string>> = {}) => {
    const headers = new Headers({ host: "localhost:3000", ...more });
    return isLocal(direct(socket, headers), headers);
  };

  test.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])("from %s", (socket) => {
    expect(local(socket)).toBe(true);
  });
  test.each([["192.0.2.1"], ["1270.0.0.1"], [null]])("not from %s", (socket) => {
    expect(local(socket)).toBe(false);
  });

  test.each([
    ...["localhost", "LOCALHOST:80", "127.0.0.1:3000", "127.8.8.8", "[::1]", "[::1]:65535"],
  ])("under the name %s", (host) => {
    expect(local("127.0.0.1", { host })).toBe(true);
  });
  // Anybody can make a name of theirs lead to this machine, and open a page under it in a browser here.
  test.each([
    ...["rebound.example", "127.0.0.1.example", "127.example:3000", "localhost.example", "0.0.0.0"],
    ...[
      "192.0.2.1:3000",
      "127.999.999.999",
      "127.1",
      "[::2]",
      "[::ffff:7f00:1]",
      "::1",
      "127.0.0.1, evil.example",
      "",
      " ",
    ],
  ])("not under the name %j", (host) => {
    expect(local("127.0.0.1", { host })).toBe(false);
  });
  test("not without a name", () => {
    const headers = new Headers();
    expect(isLocal(direct("127.0.0.1", headers), headers)).toBe(false);
  });

  test.each([
    ["x-forwarded-for", "127.0.0.1"],
    ["x-forwarded-host", "localhost"],
    ["x-forwarded-proto", "http"],
    ["x-real-ip", "127.0.0.1"],
    ["forwarded", "for=127.0.0.1"],
    ["via", "1.1 proxy"],
  ])("not when it was passed on, as %s tells", (name, value) => {
    expect(local("127.0.0.1", { [name]: value })).toBe(false);
  });
});

describe("the network that a person is shown", () => {
  test.each([
    ["203.0.113.9", "203.0.113.0/24"],
    ["127.0.0.1", "127.0.0.0/24"],
    ["2001:db8:7:1234::99", "2001:db8:7::/48"],
    ["2001:0DB8:0070:1::", "2001:db8:70::/48"],
    ["2001:db8::1", "2001:db8:0::/48"],
    ["::1", "0:0:0::/48"],
    ["fe80::1%eth0", "fe80:0:0::/48"],
    ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff::/48"],
  ])("of %s is %s", (address, network) => {
    expect(shownNetworkOf(address)).toBe(network);
  });
});
