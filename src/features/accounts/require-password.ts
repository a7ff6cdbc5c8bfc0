import { ApiError } from "../../domain/errors";
import type { LoginFailures } from "./login-failures";
import { verifyPassword } from "./passwords";

/** Takes the same time whether there is such an account or not. Throws INVALID_CREDENTIALS, and RATE_LIMITED. */
export async function requirePassword(
  failures: LoginFailures,
  email: string,
  password: string,
  hash: string | null,
): Promise<void> {
  const attempt = failures.begin(email);
  const isRight = await verifyPassword(password, hash).catch((error: unknown) => {
    attempt.takeBack();
    throw error;
  });
  if (!isRight) throw wrongCredentials();
  attempt.takeBack();
}

export const wrongCredentials = (): ApiError =>
  new ApiError("INVALID_CREDENTIALS", "Wrong email or password.");
