import { createHmac, randomBytes } from "node:crypto";
import { ApiError } from "../../domain/errors";
import type { Share } from "../../domain/share";
import { LoginFailures } from "../../services/login-failures";
import type { Passwords } from "../../services/passwords";

type Protected = Pick<Share, "id" | "passwordHash">;

/** Failures count by share and network: a guesser in one place locks nobody out elsewhere. */
const failures = new LoginFailures();

/** Passwords that were right, by their keyed hash: programs send theirs with each request. */
const right = new Map<string, string>();
const rightMax = 1_000;
const key = randomBytes(32);

/** Throws INVALID_CREDENTIALS, and RATE_LIMITED after too many guesses. */
export async function requireSharePassword(
  passwords: Passwords,
  { id, passwordHash }: Protected,
  network: string,
  password: string,
): Promise<void> {
  const attempt = failures.begin(`${id} ${network}`);
  const digest = createHmac("sha256", key).update(`${passwordHash} ${password}`).digest("hex");
  if (right.get(id) !== digest) {
    const asker = { kind: "network", key: network } as const;
    const verified = passwords.verify(password, passwordHash, asker);
    const isRight = await verified.catch((error: unknown) => {
      attempt.takeBack();
      throw error;
    });
    if (!isRight) throw new ApiError("INVALID_CREDENTIALS", "This is not the share's password.");
    if (right.size >= rightMax) right.clear();
    right.set(id, digest);
  }
  attempt.takeBack();
}
