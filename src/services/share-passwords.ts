import { createHmac, randomBytes } from "node:crypto";
import { ApiError } from "../domain/errors";
import type { Share } from "../domain/share";
import { LoginFailures } from "./login-failures";
import type { Passwords } from "./passwords";

type Protected = Pick<Share, "id" | "passwordHash">;

const rightMax = 1_000;

/** Asks for the passwords of shares. */
export class SharePasswords {
  /** Failures count by share and network: a guesser in one place locks nobody out elsewhere. */
  private readonly failures = new LoginFailures();
  /** Passwords that were right, by their keyed hash: programs send theirs with each request. */
  private readonly right = new Map<string, string>();
  private readonly key = randomBytes(32);

  constructor(private readonly passwords: Passwords) {}

  /** Throws INVALID_CREDENTIALS, and RATE_LIMITED after too many guesses. */
  async require({ id, passwordHash }: Protected, network: string, password: string): Promise<void> {
    const attempt = this.failures.begin(`${id} ${network}`);
    const digest = createHmac("sha256", this.key)
      .update(`${passwordHash} ${password}`)
      .digest("hex");
    if (this.right.get(id) !== digest) {
      const asker = { kind: "network", key: network } as const;
      const verified = this.passwords.verify(password, passwordHash, asker);
      const isRight = await verified.catch((error: unknown) => {
        attempt.takeBack();
        throw error;
      });
      if (!isRight)
        throw new ApiError("INVALID_CREDENTIALS", "The password of the share is wrong.");
      if (this.right.size >= rightMax) this.right.clear();
      this.right.set(id, digest);
    }
    attempt.takeBack();
  }
}
