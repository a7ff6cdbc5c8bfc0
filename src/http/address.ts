import { isIP } from "node:net";
import type { Config } from "../config";

export interface Peer {
  /** The socket's other end, null when it is not known. */
  readonly socket: string | null;
  /** Whether the socket's other end is one of TRUSTED_PROXIES: only then are its headers believed. */
  readonly isTrustedProxy: boolean;
  /** The client as far as it can be known; null when it cannot. */
  readonly address: string | null;
}

/**
 * The client's address: the socket's peer or, behind trusted proxies, the right-most `X-Forwarded-For` entry that is
 * not one itself. Entries further left are the client's own words.
 */
export function peerOf(
  socketAddress: string | null,
  headers: Headers,
  trustedProxies: Config["trustedProxies"],
): Peer {
  const socket = socketAddress === null ? null : unmapped(socketAddress);
  const isTrustedProxy = socket !== null && includes(trustedProxies, socket);
  if (!isTrustedProxy) return { socket, isTrustedProxy, address: socket };
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => unmapped(hop.trim()));
  for (const hop of hops.reverse()) {
    if (isIP(hop) === 0) break;
    if (!includes(trustedProxies, hop)) return { socket, isTrustedProxy, address: hop };
  }
  return { socket, isTrustedProxy, address: socket };
}

/** Whether a request comes from this machine and was not passed on by a proxy on it. */
export function isLocal(socketAddress: string | null, headers: Headers): boolean {
  if (socketAddress === null) return false;
  if (headers.has("x-forwarded-for") || headers.has("forwarded")) return false;
  const address = unmapped(socketAddress);
  return address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);
}

/** `::ffff:192.0.2.1`, as a dual-stack socket reports IPv4, becomes `192.0.2.1`. */
export function unmapped(address: string): string {
  return /^::ffff:\d{1,3}(\.\d{1,3}){3}$/i.test(address) ? address.slice(7) : address;
}

function includes(list: Config["trustedProxies"], address: string): boolean {
  return list.rules.length > 0 && list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}
