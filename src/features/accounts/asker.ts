import { type Caller, memberOf } from "../../domain/caller";
import { sessionOf } from "../../http/auth/caller";
import { sessionSecretsOf } from "../../http/auth/session-cookie";
import type { Deps } from "../../http/deps";
import { type Peer, shownNetworkOf } from "../../http/edge/address";
import type { Asker } from "../../services/passwords";
import { personByEmail } from "../../store/control/people";

/** A sender of a password, and the key under which their failures count. */
export interface Guesser {
  readonly asker: Asker;
  /** Failures of others do not count under it. */
  readonly failuresKey: string;
  /** The person whose password is guessed; null where the address has no log-in. */
  readonly personId: string | null;
  /** The network of the sender, as people are shown it; null where it is not known. */
  readonly network: string | null;
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
  personId: memberOf(caller).personId,
  network: null,
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
  const network = peer.address === null ? null : shownNetworkOf(peer.address);
  const session = sessionOf(deps, sessionSecretsOf(headers));
  if (session?.person.email === email) {
    const asker: Asker = { kind: "account", key: session.person.id };
    const { id: personId } = session.person;
    return { asker, failuresKey: `session ${session.hash}`, personId, network };
  }
  const asker = visitor(deps, peer);
  const personId = personByEmail(deps.control, email)?.id ?? null;
  return { asker, failuresKey: `${asker.key} ${email}`, personId, network };
}
