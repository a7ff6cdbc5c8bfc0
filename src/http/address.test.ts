import { describe, expect, test } from "bun:test";
import { readConfig } from "../config";
import { isLocal, peerReader } from "./address";

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

test("local is loopback, unless something on this machine passed the request on", () => {
  const local = (socket: string | null, headers = new Headers()) =>
    isLocal(direct(socket, headers), headers);
  expect(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"].map((one) => local(one))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([local("192.0.2.1"), local("1270.0.0.1"), local(null)]).toEqual([false, false, false]);
  expect(local("127.0.0.1", forwarded("192.0.2.1"))).toBe(false);
  expect(local("127.0.0.1", new Headers({ forwarded: "for=192.0.2.1" }))).toBe(false);
});
