import { ApiError } from "../domain/errors";
import { passwordQueueMax } from "../domain/limits";
import { Semaphore } from "../lib/semaphore";

const parameters = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Of a password that nobody has: verifying against it takes an unknown address as long as a known one. */
export const nobodysHash =
  "$argon2id$v=19$m=19456,t=2,p=1$u85bzQd8Z4yGskRbxwD3FRygO4UVL+WBvHLFkJdsZ/U$" +
  "szx4RL/Nv6596nkaj27+dWRzrRmTHYY2XehXo7FeZ78";

/** For whom a password is hashed. Those of one kind take turns, and never wait for the other kind. */
export interface Asker {
  /** `account`: logged in. `network`: nobody knows who it is. */
  readonly kind: "account" | "network";
  readonly key: string;
}

/** The process itself, before it listens. */
const server: Asker = { kind: "account", key: "" };

// A hash takes a core for some 50 ms, in a thread of its own: one at a time leaves the others to the server. However
// many visitors ask, somebody who is logged in waits for others who are.
const semaphores = {
  account: new Semaphore(1, passwordQueueMax),
  network: new Semaphore(1, passwordQueueMax),
};

export const hashPassword = (password: string, asker = server): Promise<string> =>
  inTurn(asker, () => Bun.password.hash(password, parameters));

export const verifyPassword = (
  password: string,
  hash: string | null,
  asker = server,
): Promise<boolean> => inTurn(asker, () => Bun.password.verify(password, hash ?? nobodysHash));

async function inTurn<T>({ kind, key }: Asker, work: () => Promise<T>): Promise<T> {
  const passed = await semaphores[kind].pass(key, work);
  if (passed !== null) return passed.value;
  throw new ApiError("UNAVAILABLE", "Too many sign-ins at once. Try again in a moment.");
}
