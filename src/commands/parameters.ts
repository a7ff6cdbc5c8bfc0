import { randomBytes } from "node:crypto";
import { ConfigError } from "../config";
import { ApiError } from "../domain/errors";
import { emailOf, newPasswordOf } from "../domain/identity";
import { UsageError } from "./command";
import { type Input, passwordFrom, type Terminal } from "./password-input";

/** 120 bits, in characters that a person can copy by hand. */
const madePasswordBytes = 15;

/**
 * `--email you@example.com` or `--email=you@example.com`, and nothing else: the address in its normal form. Another
 * command names its flag.
 */
export function emailIn(
  parameters: readonly string[],
  flag: "--email" | "--to" = "--email",
): string {
  const [first = "", second, ...rest] = parameters;
  const written = first.startsWith(`${flag}=`) ? first.slice(flag.length + 1) : undefined;
  const email = written ?? (first === flag ? second : undefined);
  const surplus = written === undefined ? rest.length : parameters.length - 1;
  if (email === undefined || surplus > 0) {
    const whose = flag === "--to" ? "address" : "email of the account";
    throw new UsageError(`Pass the ${whose}: ${flag} <email>.`);
  }
  return emailOfParameter(email);
}

/** The normal form of an address that was given. Throws UsageError where none was. */
export function emailOfParameter(given: string | undefined): string {
  if (given === undefined) throw new UsageError("Pass the email of the person: --email <email>.");
  return checked(() => emailOf(given), UsageError);
}

export interface GivenPassword {
  readonly password: string;
  /** Nobody has seen it yet. */
  readonly isMade: boolean;
}

/** Returns the password that was given at the prompt or on standard input, or makes one when that was empty. */
export async function newPassword(input: Input, output: Terminal): Promise<GivenPassword> {
  const given = await passwordFrom(input, output);
  if (given !== "")
    return { password: checked(() => newPasswordOf(given), ConfigError), isMade: false };
  return { password: randomBytes(madePasswordBytes).toString("base64url"), isMade: true };
}

/** Tells the person at the terminal in the same words what a request would be refused for. */
function checked<T>(check: () => T, Refusal: new (message: string) => Error): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof ApiError ? new Refusal(error.message) : error;
  }
}
