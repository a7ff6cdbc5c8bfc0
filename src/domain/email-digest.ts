/*
 * An address is what looks like one.
 * Decision: text@text without spaces, 254 characters; else it is not kept, and a lookup answers 400.
 * Because: `none` told for a thousand people would make them one.
 * Cost: an address of another form is not found.
 */

import { createHmac } from "node:crypto";
import { TwoGenerationCache } from "../lib/two-generation-cache";
import { normalEmail } from "./identity";
import { emailCharsMax } from "./limits";

/** The projects in which an address is looked for: each scope has a key, and so a digest of the address, of its own. */
export type EmailScope = `project:${string}` | `portfolio:${string}`;

const rememberedKeysMax = 4_096;
/** Neither every mailbox nor every name before the @ looks alike, but a note such as "none" is no address. */
const roughForm = /^[^\s@]+@[^\s@]+$/u;

/** The normal form under which an address is looked up; null for what is none. */
export function lookupEmail(text: string): string | null {
  const email = normalEmail(text);
  return [...email].length <= emailCharsMax && roughForm.test(email) ? email : null;
}

/**
 * The keyed hashes that stand for addresses in the store (definitions.md): whoever has the file but not the secret can
 * neither read nor guess them. Computed where requests arrive, so that no address goes further.
 */
export class EmailDigests {
  readonly #secret: string;
  readonly #keys = new TwoGenerationCache<EmailScope, Buffer>(rememberedKeysMax);

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Digests an address in its normal form: 64 lower-case hexadecimal digits. */
  of(scope: EmailScope, email: string): string {
    return createHmac("sha256", this.#keyOf(scope)).update(email).digest("hex");
  }

  #keyOf(scope: EmailScope): Buffer {
    return this.#keys.get(scope, () =>
      createHmac("sha256", this.#secret).update(`email-lookup:v1:${scope}`).digest(),
    );
  }
}
