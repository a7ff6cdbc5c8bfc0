import { createHmac, hkdfSync } from "node:crypto";
import type { Config } from "../../config";
import { type Share, shareCookieMs } from "../../domain/share";
import { clock, secondMs } from "../../lib/clock";
import { equalInConstantTime } from "../../lib/ids";
import type { Control } from "../../store/control/control";
import { cookiePathOf } from "../edge/base-path";

type Own = Pick<Share, "id" | "tokenHash" | "passwordHash" | "frame">;

/** One for each share, so that who looks at two of them is asked for no password twice. */
const cookieForm = /(?:^|;)\s*sl_share_([a-z0-9]{16})=(\d{1,15})\.([0-9a-f]{64})/g;
/** More are some other site's doing; each one costs a look into the database. */
const cookiesMax = 16;

interface ShareCookie {
  readonly shareId: string;
  readonly madeAtMs: number;
  readonly code: string;
}

/** The cookies of shared pages, the one that was made last first. */
export const shareCookiesOf = ({ headers }: Request): readonly ShareCookie[] =>
  [...(headers.get("cookie") ?? "").matchAll(cookieForm)]
    .map(([, id = "", madeAt = "", code = ""]) => ({
      ...{ shareId: `shr_${id}`, madeAtMs: Number(madeAt), code },
    }))
    .sort((a, b) => b.madeAtMs - a.madeAtMs)
    .slice(0, cookiesMax);

/** Tells whether a cookie was made for this share, with its token and its password, not too long ago. */
export function isCookieOf(control: Control, share: Own, cookie: ShareCookie): boolean {
  const isFresh = cookie.madeAtMs + shareCookieMs > clock.nowMs();
  const code = codeOf(control, share, cookie.madeAtMs);
  return cookie.shareId === share.id && isFresh && equalInConstantTime(cookie.code, code);
}

/**
 * Makes the cookie that the page of a share gives to a browser which may see it. A frame of another site sends it too:
 * it lets nobody do anything but look at what the frame shows.
 */
export function shareCookie(
  config: Pick<Config, "publicUrl" | "basePath">,
  control: Control,
  share: Own,
): string {
  const madeAtMs = clock.nowMs();
  const value = `${madeAtMs}.${codeOf(control, share, madeAtMs)}`;
  const isHttps = config.publicUrl.startsWith("https:");
  const isFramed = isHttps && share.frame.length > 0;
  const site = isFramed ? "SameSite=None; Partitioned" : "SameSite=Lax";
  const age = `Max-Age=${shareCookieMs / secondMs}; Path=${cookiePathOf(config)}; HttpOnly; ${site}`;
  return `sl_share_${share.id.slice("shr_".length)}=${value}; ${age}${isHttps ? "; Secure" : ""}`;
}

/** Signs the share's id, token and password: when one of them changes, its cookies are worth nothing. */
function codeOf(control: Control, share: Own, madeAtMs: number): string {
  const key = hkdfSync("sha256", control.identitySecret, "", "share cookies", 32);
  const text = `${share.id} ${share.tokenHash} ${share.passwordHash ?? ""} ${madeAtMs}`;
  return createHmac("sha256", Buffer.from(key)).update(text).digest("hex");
}
