/*
 * Addresses of shares can be read again.
 * Decision: a share's token is kept as a hash and, encrypted with a key of this installation, as it is.
 * Because: its owner copies the address again; it opens no more than what somebody was given already.
 * Cost: who has control.db and the secret has the tokens.
 */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Texts that must be readable again and yet not lie in a file: encrypted with a key of the purpose. */
export class Seal {
  readonly #key: Buffer;

  constructor(secret: string, purpose: string) {
    this.#key = Buffer.from(hkdfSync("sha256", secret, "", purpose, keyBytes));
  }

  /** `owner` must be named again to open it: what was sealed for one is no use in another's place. */
  close(text: string, owner: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(owner));
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
  }

  /** Returns the sealed text, or null if this key did not seal it for this owner. */
  open(sealed: string, owner: string): string | null {
    const bytes = Buffer.from(sealed, "base64");
    if (bytes.length < nonceBytes + tagBytes) return null;
    const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes))
      .setAAD(Buffer.from(owner))
      .setAuthTag(tag);
    const body = decipher.update(bytes.subarray(nonceBytes + tagBytes));
    try {
      return Buffer.concat([body, decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  }
}
