import { ApiError } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { isLocal, type Peer } from "../../http/edge/address";
import { equalInConstantTime } from "../../lib/ids";

/**
 * Tells whether the set-up needs a token, which proves that the sender has read the server's log. Only a person at the
 * machine needs none, and only while no PUBLIC_URL says that others are expected: behind a proxy on the same machine
 * that adds no header, everybody would look like that person.
 */
export const needsSetupToken = ({ config }: Deps, peer: Peer, headers: Headers): boolean =>
  config.publicUrlIsSet || !isLocal(peer, headers);

export function refuseWrongToken(token: string, sent: string | undefined): void {
  if (sent !== undefined && equalInConstantTime(sent, token)) return;
  const message =
    '"setup_token" is required: copy it from the line with /setup?token=… that the server printed when it ' +
    "started. Only requests to localhost on the server's own machine, with PUBLIC_URL unset, work without " +
    "it.";
  throw new ApiError("FORBIDDEN", message);
}
