import { createHmac, randomBytes } from "node:crypto";
import { secondMs } from "./clock";

/** Codes that change with the time (RFC 6238): HMAC-SHA-1, six digits, a new one every 30 seconds. */

export const totpStepMs = 30 * secondMs;
const digits = 6;
const secretBytes = 20;
const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const totpStepAt = (timeMs: number): number => Math.floor(timeMs / totpStepMs);

/** The code of one step. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** Makes a secret in base32 (RFC 4648), as authenticator apps take it: 160 bits are 32 characters without padding. */
export const newTotpSecret = (): string => toBase32(randomBytes(secretBytes));

function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(/.{5}/g, (five) => base32[Number.parseInt(five, 2)] ?? "");
}

export function fromBase32(text: string): Uint8Array {
  const bits = [...text].map((letter) => base32.indexOf(letter).toString(2).padStart(5, "0"));
  return Uint8Array.from(bits.join("").match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
