/*
 * Sign-in from another site's page is refused.
 * Decision: /auth/setup, /auth/signup and /auth/login with a foreign Origin answer 403 CSRF_FAILED, cookie or not.
 * Because: a page could otherwise set up a server on its visitor's machine, where loopback needs no token, or log the
 * visitor in as somebody else.
 * Cost: stricter than it has to be.
 * Revisit: if a client signs in from another origin.
 */

import type { Config } from "../../config";
import { effectiveTier } from "../../domain/plan";
import { foreignPage, isForeignOrigin } from "../../http/auth/own-origin";
import { newSessionSecret, sessionCookie } from "../../http/auth/session-cookie";
import type { Deps } from "../../http/deps";
import { shownNetworkOf } from "../../http/edge/address";
import { type Reply, reply } from "../../http/edge/reply";
import { browserLabel } from "../../lib/browser-label";
import { addSession } from "../../store/control/accounts";
import type { AccountRow } from "../../store/control/tables";
import type { Account } from "./schema";
import { browserLabelCharsMax } from "./schema";
import { viewAccount } from "./view";

/** Logs the browser in, and answers with the account. */
export function signIn(
  deps: Deps,
  account: AccountRow,
  status: 200 | 201,
  request: Request,
): Reply<{ readonly ok: true; readonly account: Account }> {
  const secret = newSessionSecret(deps.config);
  const { address } = deps.server.peerOf(request);
  addSession(deps.control, account.id, secret, {
    label: browserLabel(request.headers.get("user-agent"), browserLabelCharsMax),
    network: address === null ? null : shownNetworkOf(address),
  });
  const view = viewAccount(deps, { ...account, tier: effectiveTier(account) });
  return reply(
    status,
    { ok: true, account: view },
    { "set-cookie": sessionCookie(deps.config, secret), "cache-control": "no-store" },
  );
}

/**
 * Refuses another site's page, which could set up a server on its visitor's machine, or log the visitor in as somebody.
 */
export function refuseForeignPage(config: Config, { headers }: Request): void {
  if (isForeignOrigin(config, headers)) throw foreignPage(config, "Sign in from a page of");
}
