import { renderSVG } from "uqr";
import { type Caller, memberOf } from "../../../domain/caller";
import type { Deps } from "../../../http/deps";
import { accountOperation } from "../../../http/operation/account-operation";
import { free } from "../../../http/operation/facts";
import { nothing } from "../../../http/operation/input";
import { newTotpSecret } from "../../../lib/totp";
import { actorOf } from "../../../store/control/audit";
import {
  dropFactor,
  enableFactor,
  factorSince,
  recoveryCodesLeft,
  replaceRecoveryCodes,
  setUpFactor,
} from "../../../store/control/second-factors";
import { memberGuessing } from "../asker";
import type { Guards } from "../guards";
import { requireOwnPassword } from "../own-password";
import { Done } from "../schema";
import { withSecurityMail } from "../security-mail";
import { requireCode } from "./require-code";
import {
  RecoveryCodes,
  TwoFactorCode,
  TwoFactorEnd,
  TwoFactorPassword,
  TwoFactorProof,
  TwoFactorSetup,
  TwoFactorState,
} from "./schema";

const tag = "Sign-in";
const access = free("cookie", "", { role: "viewer", isBeforeFactor: true });

/** A person's own second factor. */
export const twoFactorRoutes = (deps: Deps, guards: Guards) => [
  stateRoute(deps),
  setUpRoute(deps, guards),
  enableRoute(deps),
  recoveryCodesRoute(deps, guards),
  disableRoute(deps, guards),
];

const stateRoute = ({ control }: Deps) =>
  accountOperation("GET /auth/two-factor", {
    access,
    doc: {
      id: "getTwoFactor",
      summary: "Get the state of your second factor",
      description: "Whether it is on, and how many recovery codes are left.",
      tag,
    },
    takes: nothing,
    returns: { 200: TwoFactorState },
    handle: ({ caller }) => {
      const { personId } = memberOf(caller);
      const sinceMs = factorSince(control, personId);
      return {
        enabled: sinceMs !== null,
        ...(sinceMs !== null && { enabled_at: new Date(sinceMs).toISOString() }),
        recovery_codes_left: recoveryCodesLeft(control, personId),
        required: caller.account.requiresTwoFactor,
      };
    },
  });

const setUpRoute = (deps: Deps, guards: Guards) =>
  accountOperation("POST /auth/two-factor/setup", {
    access,
    doc: {
      id: "setUpTwoFactor",
      summary: "Set up a second factor",
      description:
        "Makes a secret for an authenticator app, which it takes from the QR code. The factor is not on yet: " +
        "send a code to POST /auth/two-factor/enable within 10 minutes.",
      tag,
      errors: ["INVALID_CREDENTIALS", "RATE_LIMITED", "UNAVAILABLE"],
    },
    takes: TwoFactorPassword,
    returns: { 200: TwoFactorSetup },
    handle: async ({ caller, input }) => {
      await requireOwnPassword(deps, guards, caller, input.password);
      const { personId, email } = memberOf(caller);
      const secret = newTotpSecret();
      setUpFactor(deps.control, personId, secret);
      const url = otpauthUrl(new URL(deps.config.publicUrl).host, email, secret);
      return {
        secret,
        otpauth_url: url,
        qr_svg: renderSVG(url, { ecc: "M", border: 2, pixelSize: 1 }),
      };
    },
  });

/** Two servers of one person are two entries in the app: it tells them apart by the issuer. */
function otpauthUrl(host: string, email: string, secret: string): string {
  const issuer = encodeURIComponent(`Sightline ${host}`);
  const label = `${issuer}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${issuer}`;
}

const enableRoute = (deps: Deps) =>
  accountOperation("POST /auth/two-factor/enable", {
    access,
    doc: {
      id: "enableTwoFactor",
      summary: "Turn the second factor on",
      description:
        "The code proves that the app has the secret. Your other browsers are logged out.",
      tag,
      errors: ["INVALID_CODE", "UNAVAILABLE"],
    },
    takes: TwoFactorCode,
    returns: { 200: RecoveryCodes },
    handle: ({ caller, input: { code } }) => {
      const { personId } = memberOf(caller);
      const proof = { code, keptSessionHash: caller.sessionHash };
      const codes = withSecurityMail(deps, caller, "two_factor_on", () =>
        enableFactor(deps.control, actorOf(caller), personId, proof),
      );
      return { ok: true as const, recovery_codes: [...codes] };
    },
  });

const recoveryCodesRoute = (deps: Deps, guards: Guards) =>
  accountOperation("POST /auth/two-factor/recovery-codes", {
    access: free("cookie", "", { role: "viewer" }),
    doc: {
      id: "replaceRecoveryCodes",
      summary: "Make new recovery codes",
      description: "The old ones stop working immediately.",
      tag,
      errors: ["INVALID_CREDENTIALS", "INVALID_CODE", "RATE_LIMITED", "UNAVAILABLE"],
    },
    takes: TwoFactorProof,
    returns: { 200: RecoveryCodes },
    handle: async ({ caller, input: { password, code } }) => {
      const { control } = deps;
      await requireOwnPassword(deps, guards, caller, password);
      requireOwnCode(deps, guards, caller, { code });
      const codes = control.write(() => replaceRecoveryCodes(control, memberOf(caller).personId));
      return { ok: true as const, recovery_codes: [...codes] };
    },
  });

const disableRoute = (deps: Deps, guards: Guards) =>
  accountOperation("POST /auth/two-factor/disable", {
    access: free("cookie", "", { role: "viewer" }),
    doc: {
      id: "disableTwoFactor",
      summary: "Turn the second factor off",
      description: "Needs the password, and a `code` or a `recovery_code`.",
      tag,
      errors: ["INVALID_CREDENTIALS", "INVALID_CODE", "RATE_LIMITED", "UNAVAILABLE"],
    },
    takes: TwoFactorEnd,
    returns: { 200: Done },
    handle: async ({ caller, input: { password, ...sent } }) => {
      const { control } = deps;
      await requireOwnPassword(deps, guards, caller, password);
      requireOwnCode(deps, guards, caller, sent);
      withSecurityMail(deps, caller, "two_factor_off", () =>
        dropFactor(control, actorOf(caller), memberOf(caller).personId),
      );
      return { ok: true as const };
    },
  });

function requireOwnCode(
  deps: Deps,
  guards: Guards,
  caller: Caller,
  sent: Parameters<typeof requireCode>[2],
): void {
  const { personId: id, email } = memberOf(caller);
  const { failuresKey } = memberGuessing(caller);
  requireCode({ ...deps, ...guards }, { id, email, failuresKey }, sent);
}
