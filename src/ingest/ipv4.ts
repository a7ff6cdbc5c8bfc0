/*
 * Country by one library.
 * Decision: the iptoasn MMDB (5.2 MB) ships as it is and is read by mmdb-lib, as GEOIP_DB is; IPv4 walks its tree in
 * 40 lines of ours.
 * Because: 0.7 µs per request, one format, no generated data.
 * Cost: 2.6 MB more than arrays of our own, which look up in 0.1 µs.
 * Revisit: if lookups show in a profile.
 */

import type { Reader } from "mmdb-lib";

type Metadata = Pick<Reader<never>["metadata"], "nodeCount" | "ipVersion">;

/**
 * Walks the search tree of an MMDB file for IPv4: a node is two records, one for each value of the next bit, and a
 * record is another node or, from `nodeCount` on, the end. The library does the same with texts and objects, which
 * takes ten times as long. Only for records of 24 bits, which country databases have.
 */
export class Ipv4Tree {
  readonly #bytes: Buffer;
  readonly #nodeCount: number;
  /** The node behind 96 zeros, below which a tree of IPv6 addresses has the IPv4 ones. */
  readonly #root: number;

  constructor(bytes: Buffer, { nodeCount, ipVersion }: Metadata) {
    this.#bytes = bytes;
    this.#nodeCount = nodeCount;
    let node = 0;
    for (let depth = ipVersion === 6 ? 96 : 0; depth > 0 && node < nodeCount; depth--) {
      node = this.#record(node, 0);
    }
    this.#root = node;
  }

  /** The record at which the walk ends: equal numbers stand for equal answers. */
  endOf(bits: number): number {
    let node = this.#root;
    for (let shift = 31; shift >= 0 && node < this.#nodeCount; shift--) {
      node = this.#record(node, (bits >>> shift) & 1);
    }
    return node;
  }

  #record(node: number, side: number): number {
    const bytes = this.#bytes;
    const at = node * 6 + side * 3;
    return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  }
}
