import { BlockList, isIP } from "node:net";

/**
 * Every range that is not the public internet, by the registries of special-purpose addresses (RFC 6890 and its
 * successors), and the forms of IPv6 that carry an IPv4 address inside: what they carry could be any of the former.
 */
const refused: readonly string[] = [
  "0.0.0.0/8", // this network, unspecified
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier NAT; metadata of one large provider
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local; metadata of most providers
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments; metadata of one provider
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
  "168.63.129.16/32", // a provider's host, from within its virtual machines
];

/** In IPv6 only the global unicast space is public, and not all of it. */
const globalUnicast = "2000::/3";
const refusedWithin: readonly string[] = [
  "2001::/23", // protocol assignments, Teredo among them
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: carries an IPv4 address
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
];

const listOf = (ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};

const refusedV4 = listOf(refused, "ipv4");
const publicV6 = listOf([globalUnicast], "ipv6");
const refusedV6 = listOf(refusedWithin, "ipv6");

/**
 * Tells whether an address, as a resolver writes it, belongs to the public internet. A text that is no address does
 * not.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedV4.check(address, "ipv4");
    case 6:
      return publicV6.check(address, "ipv6") && !refusedV6.check(address, "ipv6");
    default:
      return false;
  }
}
