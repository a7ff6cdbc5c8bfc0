import { isIP } from "node:net";
import type { Config } from "../../config";
import { forwardedFor } from "./forwarded";

export interface Peer {
  /** The socket's other end, null when it is not known. */
  readonly socket: string | null;
  /** Tells whether the socket's other end is one of TRUSTED_PROXIES: only then are its headers believed. */
  readonly isTrustedProxy: boolean;
  /** The client as far as it can be known; null when it cannot. */
  readonly address: string | null;
}

/**
 * Makes a function that tells a client's address: it is the socket's peer or, behind trusted proxies, the right-most
 * entry of `X-Forwarded-For` or `Forwarded` that is not one itself. Entries further left are the client's own words.
 */
export function peerReader(trustedProxies: Config["trustedProxies"]) {
  // Asking the list is slow, and most servers have none.
  const hasProxies = trustedProxies.rules.length > 0;
  const isProxy = (address: string): boolean =>
    trustedProxies.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

  return (socketAddress: string | null, headers: Headers): Peer => {
    const socket = socketAddress === null ? null : unmapped(socketAddress);
    if (!hasProxies || socket === null || !isProxy(socket)) {
      return { socket, isTrustedProxy: false, address: socket };
    }
    const client = forwardedFor(headers)
      .map(unmapped)
      .findLast((hop) => isIP(hop) === 0 || !isProxy(hop));
    if (client === undefined) return { socket, isTrustedProxy: true, address: socket };
    return { socket, isTrustedProxy: true, address: isIP(client) === 0 ? null : client };
  };
}

/**
 * The network that an address is in, as far as its holder can choose among addresses: the first 24 bits of IPv4, the
 * first 64 of IPv6, written out in full.
 */
export function networkOf(address: string): string {
  return isIP(address) === 4 ? firstParts(address.split("."), 3) : ipv6Groups(address, 4);
}

/**
 * The network as a person is shown it, to tell their own log-ins from others': the first 24 bits of IPv4, the first 48
 * of IPv6, which a provider gives to a site. None of it leads to a machine.
 */
export function shownNetworkOf(address: string): string {
  if (isIP(address) === 4) return `${networkOf(address)}.0/24`;
  return `${ipv6Groups(address, 3).replace(/\b0+(?=[0-9a-f])/g, "")}::/48`;
}

/** Returns what many networks of one provider have in common: the first 16 bits of IPv4, the first 32 of IPv6. */
export function wideNetworkOf(address: string): string {
  return isIP(address) === 4 ? firstParts(address.split("."), 2) : ipv6Groups(address, 2);
}

const firstParts = (parts: readonly string[], count: number): string =>
  parts.slice(0, count).join(".");

/** The first of eight groups, zeros that are left out included. */
function ipv6Groups(address: string, count: number): string {
  const [left = "", right] = address.split("::");
  const head = left === "" ? [] : left.split(":");
  const tail = right === undefined || right === "" ? [] : right.split(":");
  const zeros = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array<string>(zeros).fill("0"), ...tail];
  return groups
    .slice(0, count)
    .map((group) => group.toLowerCase().padStart(4, "0"))
    .join(":");
}

/** Headers that a proxy adds, by which a request is known to come from further away than its socket. */
const proxyHeaders = [
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "forwarded",
  "x-real-ip",
  "via",
];

/**
 * Tells whether a request was made on this machine, by a program that meant this machine: a page whose host name was
 * made to lead here names another host, and a proxy says that it is one.
 */
export function isLocal({ socket }: Peer, headers: Headers): boolean {
  if (socket === null || !isLoopback(socket)) return false;
  if (proxyHeaders.some((name) => headers.has(name))) return false;
  const host = /^(localhost|[\d.]+|\[[\d:]+\])(:\d{1,5})?$/i.exec(headers.get("host") ?? "")?.[1];
  return (
    host !== undefined && (/^localhost$/i.test(host) || isLoopback(host.replace(/[[\]]/g, "")))
  );
}

/** Tells whether an address is one of this machine. `127.999.999.999` is none: it is a name that may lead anywhere. */
export const isLoopback = (address: string): boolean =>
  address === "::1" || (isIP(address) === 4 && address.startsWith("127."));

/** `::ffff:192.0.2.1`, as a dual-stack socket reports IPv4, becomes `192.0.2.1`. */
function unmapped(address: string): string {
  const isMapped = address.startsWith("::") && /^::ffff:\d{1,3}(\.\d{1,3}){3}$/i.test(address);
  return isMapped ? address.slice(7) : address;
}
