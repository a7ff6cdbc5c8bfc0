/*
 * Programs with a share's token count as reads, its page does not.
 * Decision: a read by the token alone counts for the account's month, one with the page's cookie is free as the
 * dashboard is. A share has 600 requests a minute of its own.
 * Because: the plan's limit would be nothing if a share lifted it; and who looks at a page must not use up the owner's
 * rate.
 * Cost: who has the link can use up the reads of a Free account, until it is revoked.
 * Revisit: when somebody does.
 */

import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { clock } from "../../lib/clock";
import type { ShareHolder } from "../../store/control/shares";
import type { Deps } from "../deps";
import { queryOf } from "../edge/url";
import { callerOf } from "./caller";
import { sessionSecretsOf } from "./session-cookie";
import { isCookieOf, shareCookiesOf } from "./share-cookie";

type ShareDeps = Pick<Deps, "control" | "sharePasswords" | "rates" | "server">;

/**
 * Identifies the holder of a share: its token is the bearer, or there is no credential but the cookie of its page.
 * Returns null for everybody else. Throws INVALID_TOKEN for a share that is unknown, revoked or over. A password is
 * asked for by `openShare`.
 */
export function identifyShare({ control }: Pick<Deps, "control">, request: Request): Caller | null {
  const { headers } = request;
  const authorization = headers.get("authorization");
  if (authorization !== null) {
    const token = /^Bearer +(sht_\w+)$/i.exec(authorization)?.[1];
    if (token === undefined) return null;
    const holder = heldBy(control.shares.holderOfToken(token));
    return isPage(control, request, holder) ? callerOfPage(holder) : callerOfShare(holder);
  }
  const cookies = shareCookiesOf(request);
  const hasOther = headers.has("x-api-key") || queryOf(request).has("key");
  if (cookies.length === 0 || hasOther || sessionSecretsOf(headers).length > 0) return null;
  for (const cookie of cookies) {
    const holder = control.shares.holderOfId(cookie.shareId);
    if (holder !== undefined && isCookieOf(control, holder.share, cookie)) {
      return callerOfPage(heldBy(holder));
    }
  }
  throw unknown();
}

/**
 * The page of a share sends its token, so that another account's session in the same browser is not asked in its
 * place, and its cookie, by which its reads are known as those of a page.
 */
const isPage = (control: Deps["control"], request: Request, { share }: ShareHolder): boolean =>
  shareCookiesOf(request).some((cookie) => isCookieOf(control, share, cookie));

const callerOfPage = (holder: ShareHolder): Caller => ({
  ...callerOfShare(holder),
  sessionHash: holder.share.tokenHash,
});

/** The password of a share that has one: in a header, or given to the page before. */
export async function openShare(
  { control, sharePasswords, rates, server }: ShareDeps,
  request: Request,
  caller: Caller,
): Promise<Caller> {
  const { share } = caller;
  if (share === null || share.passwordHash === null) return caller;
  if (shareCookiesOf(request).some((cookie) => isCookieOf(control, share, cookie))) return caller;
  const password = request.headers.get("x-share-password");
  if (password === null) {
    throw new ApiError(
      "AUTH_REQUIRED",
      "This share needs a password. Send it as X-Share-Password.",
    );
  }
  const { address } = server.peerOf(request);
  await sharePasswords.require(share, rates.networkKey(address), password);
  return caller;
}

/** Returns the holder, or throws INVALID_TOKEN if there is none. */
export function heldBy(holder: ShareHolder | undefined): ShareHolder {
  const expiresAtMs = holder?.share.expiresAtMs ?? Number.POSITIVE_INFINITY;
  if (holder === undefined || expiresAtMs <= clock.nowMs()) throw unknown();
  return holder;
}

/** It acts for the account that it is of, and holds none of its rights. */
export const callerOfShare = ({ share, account }: ShareHolder): Caller => ({
  ...callerOf("share", { account, person: null, standing: null }),
  id: share.id,
  share,
});

const unknown = (): ApiError =>
  new ApiError(
    "INVALID_TOKEN",
    "This share is invalid: it is unknown, revoked or expired. Ask its owner for a new one.",
  );
