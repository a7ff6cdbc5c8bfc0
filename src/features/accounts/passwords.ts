import { ApiError } from "../../domain/errors";
import { passwordQueueMax } from "../../domain/limits";
import { Turnstile } from "../../lib/turnstile";

const parameters = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Of a password that nobody has: verifying against it takes an unknown address as long as a known one. */
export const nobodysHash =
  "$argon2id$v=19$m=19456,t=2,p=1$u85bzQd8Z4yGskRbxwD3FRygO4UVL+WBvHLFkJdsZ/U$" +
  "szx4RL/Nv6596nkaj27+dWRzrRmTHYY2XehXo7FeZ78";

// A hash takes a core for some 50 ms, in a thread of its own: one at a time leaves the others to the server.
const turnstile = new Turnstile(1, passwordQueueMax);

export const hashPassword = (password: string): Promise<string> =>
  inTurn(() => Bun.password.hash(password, parameters));

export const verifyPassword = (password: string, hash: string | null): Promise<boolean> =>
  inTurn(() => Bun.password.verify(password, hash ?? nobodysHash));

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const passed = await turnstile.pass(work);
  if (passed !== null) return passed.value;
  throw new ApiError("UNAVAILABLE", "Too many sign-ins at once. Try again in a moment.");
}
