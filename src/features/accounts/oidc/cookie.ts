import type { Config } from "../../../config";
import { cookiePathOf } from "../../../http/edge/base-path";
import { clock, minuteMs, secondMs } from "../../../lib/clock";
import { Seal } from "../../../lib/seal";
import type { OidcSecrets } from "../../../services/oidc/oidc";
import type { Control } from "../../../store/control/control";

/** The state of one sign-in, which its browser keeps meanwhile: encrypted, and for ten minutes. */
export interface OidcTrip {
  readonly secrets: OidcSecrets;
  /** The path to go on to. */
  readonly next: string;
  /** The person who links the provider's person to their log-in; null for a log-in. */
  readonly linksTo: string | null;
  readonly madeAtMs: number;
}

const tripMs = 10 * minuteMs;
const cookieForm = /(?:^|;)\s*sl_oidc=([^;]+)/;
const owner = "browser";
const sealOf = ({ identitySecret }: Control): Seal => new Seal(identitySecret, "oidc");

export function oidcCookie(
  config: Pick<Config, "publicUrl" | "basePath">,
  control: Control,
  trip: Omit<OidcTrip, "madeAtMs">,
): string {
  const text = JSON.stringify({ ...trip, madeAtMs: clock.nowMs() });
  // Base64 in the letters that a cookie may have; Buffer reads either alphabet.
  const value = Buffer.from(sealOf(control).close(text, owner), "base64").toString("base64url");
  const isHttps = config.publicUrl.startsWith("https:");
  const attributes = `Max-Age=${tripMs / secondMs}; Path=${cookiePathOf(config)}; HttpOnly; SameSite=Lax`;
  return `sl_oidc=${value}; ${attributes}${isHttps ? "; Secure" : ""}`;
}

/** Null where the browser brings none, or one that is too old. */
export function tripOf(control: Control, headers: Headers): OidcTrip | null {
  const [, value = ""] = cookieForm.exec(headers.get("cookie") ?? "") ?? [];
  const text = sealOf(control).open(value, owner);
  if (text === null) return null;
  const trip: OidcTrip = JSON.parse(text);
  const ageMs = clock.nowMs() - trip.madeAtMs;
  return ageMs >= 0 && ageMs < tripMs ? trip : null;
}
