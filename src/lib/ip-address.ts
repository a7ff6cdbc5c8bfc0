import { isIP } from "node:net";

/** Returns 4 or 6, and 0 for a text that is no address. */
export const familyOf = (address: string): number => isIP(address);

/** The 32 bits of an address such as `192.0.2.1`, as an unsigned number; null for everything else. */
export function ipv4Of(address: string): number | null {
  let bits = 0;
  let part = 0;
  let digits = 0;
  let parts = 1;
  for (let at = 0; at < address.length; at++) {
    const character = address.charCodeAt(at);
    if (character === dot) {
      if (digits === 0) return null;
      bits = bits * 256 + part;
      part = 0;
      digits = 0;
      parts++;
    } else {
      part = part * 10 + character - zero;
      digits++;
      if (character < zero || character > nine || digits > 3 || part > 255) return null;
    }
  }
  return parts === 4 && digits > 0 ? bits * 256 + part : null;
}
const zero = 48;
const nine = 57;
const dot = 46;

/** The 128 bits of an IPv6 address as four unsigned numbers, without its zone; null for everything else. */
export function ipv6Of(address: string): readonly number[] | null {
  const [plain = ""] = address.split("%", 1);
  if (isIP(plain) !== 6) return null;
  const [left = "", right] = plain.split("::");
  const head = groupsOf(left);
  const tail = right === undefined ? [] : groupsOf(right);
  const zeros = Array<number>(groupCount - head.length - tail.length).fill(0);
  const groups = [...head, ...zeros, ...tail];
  return [0, 2, 4, 6].map((at) => (groups[at] ?? 0) * 0x10000 + (groups[at + 1] ?? 0));
}
const groupCount = 8;

/** The 16-bit groups of a part of an IPv6 address, whose last 32 bits may be written as IPv4. */
function groupsOf(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    const bits = group.includes(".") ? ipv4Of(group) : null;
    return bits === null ? [Number.parseInt(group, 16)] : [bits >>> 16, bits & 0xffff];
  });
}
