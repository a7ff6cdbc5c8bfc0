/*
 * Sign-in from another site's page is refused.
 * Decision: /auth/setup, /auth/signup and /auth/login with a foreign Origin answer 403 CSRF_FAILED, cookie or not.
 * Because: a page could otherwise set up a server on its visitor's machine, where loopback needs no token, or log the
 * visitor in as somebody else.
 * Cost: stricter than it has to be.
 * Revisit: if a client signs in from another origin.
 */

import type { Config } from "../../config";
import { ApiError } from "../../domain/errors";
import { callerOfSession } from "../../http/auth/caller";
import { foreignPage, isForeignOrigin } from "../../http/auth/own-origin";
import { newSessionSecret, sessionCookie } from "../../http/auth/session-cookie";
import type { Deps } from "../../http/deps";
import { shownNetworkOf } from "../../http/edge/address";
import { type Reply, reply } from "../../http/edge/reply";
import { assert } from "../../lib/assert";
import { browserLabel } from "../../lib/browser-label";
import { clock } from "../../lib/clock";
import { sha256Hex } from "../../lib/ids";
import { addSession } from "../../store/control/people";
import type { OwnAccount } from "./schema";
import { browserLabelCharsMax } from "./schema";
import { viewCaller } from "./view";

/** Logs a person's browser in. Returns the secret, and the cookie that brings it to the browser. */
export function openSession(
  deps: Deps,
  personId: string,
  request: Request,
  via: "password" | "oidc",
): { readonly secret: string; readonly cookie: string } {
  const secret = newSessionSecret(deps.config);
  const { address } = deps.server.peerOf(request);
  addSession(deps.control, personId, secret, {
    label: browserLabel(request.headers.get("user-agent"), browserLabelCharsMax),
    network: address === null ? null : shownNetworkOf(address),
    via,
  });
  return { secret, cookie: sessionCookie(deps.config, secret) };
}

/** Logs a person's browser in, and answers with the account that is named, or else the one in which it acts. */
export function signIn(
  deps: Deps,
  personId: string,
  status: 200 | 201,
  request: Request,
  accountId: string | null = null,
): Reply<{ readonly ok: true; readonly account: OwnAccount }> {
  const { secret, cookie } = openSession(deps, personId, request, "password");
  const { credentials } = deps.control;
  const [hash, nowMs] = [sha256Hex(secret), clock.nowMs()];
  const holder =
    accountId === null
      ? credentials.holderOfSession(hash, nowMs)
      : credentials.holderOfSessionIn(accountId, hash, nowMs);
  assert(holder !== undefined, "a person who logs in is a member of an account");
  return reply(
    status,
    { ok: true, account: viewCaller(deps, callerOfSession(holder)) },
    { "set-cookie": cookie, "cache-control": "no-store" },
  );
}

/**
 * Refuses another site's page, which could set up a server on its visitor's machine, or log the visitor in as somebody.
 */
export function refuseForeignPage(config: Config, { headers }: Request): void {
  if (isForeignOrigin(config, headers)) throw foreignPage(config, "Sign in from a page of");
}

/** Throws PASSWORD_LOGIN_OFF where single sign-on alone lets people in. */
export function requirePasswordLogin({ config }: Pick<Deps, "config">, isExempt = false): void {
  if (config.oidc?.isOnly !== true || isExempt) return;
  throw new ApiError(
    "PASSWORD_LOGIN_OFF",
    `This server lets people in by ${config.oidc.name} only. Use its button on the log-in page.`,
  );
}
