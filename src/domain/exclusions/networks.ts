import { familyOf, ipv4Of, ipv6Of } from "../../lib/ip-address";

/** The widest networks that a rule may name, by the bits that are fixed. */
export const ipv4BitsMin = 8;
export const ipv6BitsMin = 19;

/** A network: the words of its first address, 32 bits each, and how many bits are fixed. */
interface Network {
  readonly words: readonly number[];
  readonly bits: number;
}

/** The network that a text such as `192.0.2.0/24` or `2001:db8::/32` names; an address is a network of its own. */
function networkIn(text: string): Network | null {
  const [address = "", length, ...more] = text.trim().split("/");
  const family = familyOf(address);
  const widest = family === 4 ? 32 : 128;
  const bits = length === undefined ? widest : numberIn(length);
  if (family === 0 || address.includes("%") || bits > widest || more.length > 0) return null;
  if (bits < (family === 4 ? ipv4BitsMin : ipv6BitsMin)) return null;
  const words = wordsOf(address).map((word, at) => (word & maskOf(bits, at)) >>> 0);
  return isMapped(words) ? null : { words, bits };
}

const numberIn = (digits: string): number => (/^\d{1,3}$/.test(digits) ? Number(digits) : -1);

function wordsOf(address: string): readonly number[] {
  const ipv4 = ipv4Of(address);
  return ipv4 === null ? (ipv6Of(address) ?? []) : [ipv4];
}

/** The bits of a word, counted from 0, that a network fixes. */
function maskOf(bits: number, word: number): number {
  const free = 32 - Math.min(32, Math.max(0, bits - 32 * word));
  return free === 32 ? 0 : (-1 << free) >>> 0;
}

/** Tells whether this is an IPv4 address written as IPv6: visitors' addresses are never compared in this form. */
const isMapped = ([first, second, third]: readonly number[]): boolean =>
  first === 0 && second === 0 && third === 0xffff;

/** The normal form of a network, as rules store and show it; null where the text names none, or one too wide. */
export function networkNamed(text: string): string | null {
  const network = networkIn(text);
  if (network === null) return null;
  const { words, bits } = network;
  if (words.length === 1) return `${bytesOf(words[0] ?? 0).join(".")}/${bits}`;
  const groups = words.flatMap((word) => [word >>> 16, word & 0xffff]);
  const written = groups.map((group) => group.toString(16)).join(":");
  // The form of RFC 5952 is the one in which URLs have addresses.
  const host = URL.parse(`http://[${written}]`)?.hostname ?? "";
  return `${host.slice(1, -1)}/${bits}`;
}

const bytesOf = (word: number): readonly number[] =>
  [24, 16, 8, 0].map((shift) => (word >>> shift) & 0xff);

/** The network of one visitor: an IPv4 address, or the 64 bits of IPv6 within which machines choose their own. */
export function ownNetworkOf(address: string | null): string | null {
  if (address === null) return null;
  const [plain = ""] = address.split("%", 1);
  return networkNamed(familyOf(plain) === 6 ? `${plain}/64` : plain);
}

/** Networks in the form in which addresses are looked up: words and masks, side by side. */
export class Networks {
  readonly #ipv4: Uint32Array;
  readonly #ipv6: Uint32Array;

  /** Takes networks in their normal form. */
  constructor(texts: readonly string[]) {
    const networks = texts.map(networkIn).filter((one) => one !== null);
    this.#ipv4 = packed(networks, 1);
    this.#ipv6 = packed(networks, 4);
  }

  has(address: string): boolean {
    const bits = ipv4Of(address);
    if (bits !== null) return this.#hasIpv4(bits);
    return this.#ipv6.length > 0 && this.#hasIpv6(ipv6Of(address));
  }

  #hasIpv4(bits: number): boolean {
    const rules = this.#ipv4;
    for (let at = 0; at < rules.length; at += 2) {
      if ((bits & (rules[at + 1] ?? 0)) >>> 0 === rules[at]) return true;
    }
    return false;
  }

  #hasIpv6(words: readonly number[] | null): boolean {
    if (words === null) return false;
    const rules = this.#ipv6;
    for (let at = 0; at < rules.length; at += 8) {
      let word = 0;
      while (word < 4 && isEqual(words[word], rules[at + 2 * word], rules[at + 2 * word + 1])) {
        word++;
      }
      if (word === 4) return true;
    }
    return false;
  }
}

const isEqual = (word = 0, network = 0, mask = 0): boolean => (word & mask) >>> 0 === network;

const packed = (networks: readonly Network[], wordCount: number): Uint32Array =>
  Uint32Array.from(
    networks
      .filter(({ words }) => words.length === wordCount)
      .flatMap(({ words, bits }) => words.flatMap((word, at) => [word, maskOf(bits, at)])),
  );
