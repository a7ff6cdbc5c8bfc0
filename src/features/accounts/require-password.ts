import { ApiError } from "../../domain/errors";
import type { LoginFailures } from "../../services/login-failures";
import type { Passwords } from "../../services/passwords";
import type { Control } from "../../store/control/control";
import { noteLocked } from "../../store/control/people";
import type { Guesser } from "./asker";

interface PasswordCheck {
  readonly control: Control;
  readonly passwords: Passwords;
  readonly failures: LoginFailures;
}

/**
 * Takes the same time whether there is such an account or not. `hashNow` is asked again at the end: looking at a
 * password takes its time, in which it may have become another, or the account may have gone. Returns the hash. Throws
 * INVALID_CREDENTIALS, and RATE_LIMITED.
 */
export async function requirePassword(
  { control, passwords, failures }: PasswordCheck,
  { asker, failuresKey, personId, network }: Guesser,
  password: string,
  hashNow: () => string | null,
): Promise<string> {
  const attempt = failures.begin(failuresKey);
  const hash = hashNow();
  const isRight = await passwords.verify(password, hash, asker).catch((error: unknown) => {
    attempt.takeBack();
    throw error;
  });
  if (!isRight || hash === null || hashNow() !== hash) {
    if (attempt.isLast && personId !== null) noteLocked(control, personId, network);
    throw wrongCredentials();
  }
  attempt.takeBack();
  return hash;
}

export const wrongCredentials = (): ApiError =>
  new ApiError("INVALID_CREDENTIALS", "Wrong email or password.");
