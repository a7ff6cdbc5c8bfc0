import { ApiError } from "../domain/errors";
import { Semaphore } from "../lib/semaphore";

/** Password hashes take a core each: one at a time of each kind of asker, and this many may wait. */
export const passwordQueueMax = 128;

/** The work of hashing a password, for this server and for a thief of the file who guesses passwords. */
export interface PasswordCost {
  readonly memoryKib: number;
  readonly passes: number;
  /** The hash of no password: a log-in with an unknown address takes as long with it as one with a known address. */
  readonly nobodysHash: string;
}

/** Tests that are about something else take a cheaper one. */
export const usualCost: PasswordCost = {
  memoryKib: 19_456,
  passes: 2,
  nobodysHash:
    "$argon2id$v=19$m=19456,t=2,p=1$u85bzQd8Z4yGskRbxwD3FRygO4UVL+WBvHLFkJdsZ/U$" +
    "szx4RL/Nv6596nkaj27+dWRzrRmTHYY2XehXo7FeZ78",
};

/** The person for whom a password is hashed. Those of one kind take turns, and never wait for the other kind. */
export interface Asker {
  /** `account`: logged in. `network`: the person has not identified themselves. */
  readonly kind: "account" | "network";
  readonly key: string;
}

/** The process itself, before it listens. */
const server: Asker = { kind: "account", key: "" };

/** Hashes passwords, and compares them with hashes. */
export class Passwords {
  // A hash takes a core for some 50 ms, in a thread of its own: one at a time leaves the others to the server. However
  // many visitors ask, somebody who is logged in waits for others who are.
  readonly #semaphores = {
    account: new Semaphore(1, passwordQueueMax),
    network: new Semaphore(1, passwordQueueMax),
  };

  constructor(private readonly cost: PasswordCost = usualCost) {}

  hash(password: string, asker = server): Promise<string> {
    const { memoryKib, passes } = this.cost;
    const parameters = { algorithm: "argon2id", memoryCost: memoryKib, timeCost: passes } as const;
    return this.#inTurn(asker, () => Bun.password.hash(password, parameters));
  }

  /** `hash` is null where there is no such account, which takes the same time. */
  verify(password: string, hash: string | null, asker = server): Promise<boolean> {
    const compared = hash ?? this.cost.nobodysHash;
    return this.#inTurn(asker, () => Bun.password.verify(password, compared));
  }

  async #inTurn<T>({ kind, key }: Asker, work: () => Promise<T>): Promise<T> {
    const passed = await this.#semaphores[kind].pass(key, work);
    if (passed !== null) return passed.value;
    throw new ApiError("UNAVAILABLE", "Too many sign-ins are in progress. Try again in a moment.");
  }
}
