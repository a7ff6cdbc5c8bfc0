import { type Caller, memberOf } from "../../domain/caller";
import { sessionOf } from "../../http/auth/caller";
import { sessionSecretsOf } from "../../http/auth/session-cookie";
import type { Deps } from "../../http/deps";
import type { Peer } from "../../http/edge/address";
import type { Asker } from "../../services/passwords";

/** A sender of a password, and the key under which their failures count. */
export interface Guesser {
  readonly asker: Asker;
  /** Failures of others do not count under it. */
  readonly failuresKey: string;
}

/** Somebody without an account so far. */
export const visitor = ({ rates }: Pick<Deps, "rates">, { address }: Peer): Asker => ({
  kind: "network",
  key: rates.networkKey(address),
});

export const member = (caller: Caller): Asker => ({
  kind: "account",
  key: memberOf(caller).personId,
});

/** Returns the guesser for a person who is logged in and repeats the password. */
export const memberGuessing = (caller: Caller): Guesser => ({
  asker: member(caller),
  failuresKey: `session ${caller.sessionHash ?? caller.id}`,
});

/**
 * Returns the guesser for a log-in with an email address: failures count for the address and the sender's network, so
 * that nobody else can lock the owner out. A browser that is logged in to that account counts for itself.
 */
export function guesserOf(
  deps: Pick<Deps, "control" | "rates">,
  email: string,
  peer: Peer,
  headers: Headers,
): Guesser {
  const session = sessionOf(deps, sessionSecretsOf(headers));
  if (session?.person.email === email) {
    const asker: Asker = { kind: "account", key: session.person.id };
    return { asker, failuresKey: `session ${session.hash}` };
  }
  const asker = visitor(deps, peer);
  return { asker, failuresKey: `${asker.key} ${email}` };
}
