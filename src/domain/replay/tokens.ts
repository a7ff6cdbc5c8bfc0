/*
 * Tokens of recordings are kept nowhere.
 * Decision: upload and viewer tokens are a replay's number, an expiry and a nonce, signed with its id by a key of the
 * installation; 96 bits of signature.
 * Because: a segment needs no look-up before its bytes go on, and what expired is told from what never was.
 * Cost: a token cannot be revoked by itself; deleting the replay ends it.
 * Revisit: if a link has to end before its hour.
 */

import { createHmac, randomBytes } from "node:crypto";
import { equalInConstantTime } from "../../lib/ids";

/** The kinds of tokens: a recorder sends to a replay with one, a viewer watches it with the other. */
export type ReplayTokenKind = "aau" | "rvt";

/** The content of a token whose signature was not checked yet. */
export interface ReplayToken {
  readonly number: number;
  readonly expiresAtMs: number;
}

const numberBytes = 5;
const expiryBytes = 4;
const nonceBytes = 3;
const bodyBytes = numberBytes + expiryBytes + nonceBytes;
/** 96 bits: who guesses has to ask the server each time. */
const macBytes = 12;
const hex = new RegExp(`^[0-9a-f]{${2 * (bodyBytes + macBytes)}}$`);

/**
 * Tokens that are kept nowhere: the number of a replay, an expiry and a nonce, signed together with the replay's id, so
 * that a number given a second time, after a backup was restored, does not make old tokens good again.
 */
export class ReplayTokens {
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = createHmac("sha256", secret).update("replay-tokens:v1").digest();
  }

  issue(
    kind: ReplayTokenKind,
    replay: { id: string; number: number },
    expiresAtMs: number,
  ): string {
    const body = Buffer.alloc(bodyBytes);
    body.writeUIntBE(replay.number, 0, numberBytes);
    body.writeUInt32BE(Math.ceil(expiresAtMs / 1_000), numberBytes);
    randomBytes(nonceBytes).copy(body, numberBytes + expiryBytes);
    const text = body.toString("hex");
    return `${kind}_${text}${this.#macOf(kind, replay.id, text)}`;
  }

  /** Tells whether the token was made for this replay, however long ago. */
  isOf(kind: ReplayTokenKind, token: string, id: string): boolean {
    const text = bodyOf(kind, token);
    if (text === null) return false;
    const expected = `${kind}_${text}${this.#macOf(kind, id, text)}`;
    return equalInConstantTime(expected, token);
  }

  #macOf(kind: ReplayTokenKind, id: string, text: string): string {
    const mac = createHmac("sha256", this.#key).update(`${kind} ${id} ${text}`).digest("hex");
    return mac.slice(0, 2 * macBytes);
  }
}

/** Reads a token, or returns null for a text that has not its form. */
export function readReplayToken(kind: ReplayTokenKind, token: string): ReplayToken | null {
  const text = bodyOf(kind, token);
  if (text === null) return null;
  const body = Buffer.from(text, "hex");
  return {
    number: body.readUIntBE(0, numberBytes),
    expiresAtMs: body.readUInt32BE(numberBytes) * 1_000,
  };
}

function bodyOf(kind: ReplayTokenKind, token: string): string | null {
  const [prefix, text = ""] = [token.slice(0, kind.length + 1), token.slice(kind.length + 1)];
  return prefix === `${kind}_` && hex.test(text) ? text.slice(0, 2 * bodyBytes) : null;
}
