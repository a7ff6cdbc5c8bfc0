import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Prefixes of object ids: prefix + "_" + 16 characters of [a-z0-9]. Nobody outside sees `mem`, a membership. */
export type IdPrefix =
  | "acc"
  | "usr"
  | "inv"
  | "aud"
  | "ers"
  | "proj"
  | "pf"
  | "mem"
  | "exp"
  | "goal"
  | "scan"
  | "req"
  | "ags"
  | "rpl"
  | "fb"
  | "ann"
  | "view"
  | "shr"
  | "src"
  | "imp"
  | "occ"
  | "msg"
  | "whk"
  | "dlv"
  | "alr"
  | "rep";
/** Prefixes of secrets and public tokens: prefix + "_" + 48 hexadecimal digits. */
export type TokenPrefix =
  | "aat"
  | "aak"
  | "aas"
  | "aar"
  | "aap"
  | "aae"
  | "rst"
  | "aau"
  | "rvt"
  | "sht"
  | "ivt"
  | "sct"
  | "pwt"
  | "lgt";

const idAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
const idChars = 16;
const tokenBytes = 24;
// The largest multiple of 36 below 256: bytes from here on are thrown away, so that every character is equally likely.
const unbiasedBelow = 252;

export function newId(prefix: IdPrefix): string {
  let text = "";
  while (text.length < idChars) {
    for (const byte of randomBytes(idChars)) {
      if (byte < unbiasedBelow && text.length < idChars) text += idAlphabet[byte % 36];
    }
  }
  return `${prefix}_${text}`;
}

export function newToken(prefix: TokenPrefix): string {
  return `${prefix}_${randomBytes(tokenBytes).toString("hex")}`;
}

/**
 * Hashes a secret as it is stored: SHA-256 as 64 lower-case hexadecimal digits. Secrets are random, so no salt is
 * needed.
 */
export function sha256Hex(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Takes the same time wherever the texts differ; a different length is no secret. */
export function equalInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
