import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import type { Scope } from "../../domain/scope";
import { sharePerMinuteMax } from "../../domain/share";
import type { Deps } from "../deps";
import type { Allowance } from "../edge/rates";
import type { Access, AccessRule, ShareRule } from "../operation/facts";
import { needsFreshSignIn, requireFactor, requireFreshSignIn } from "./fresh-sign-in";
import { requireRights } from "./rights";
import { requireShown } from "./share-access";

export const demoPerMinuteMax = 60;
const cookiePerMinuteMax = 600;

/** The step "rate limit" for callers with an account. */
export function spendRequest({ config, rates }: Deps, caller: Caller): Allowance {
  const { account, isDemo, kind } = caller;
  const tier = () => account.tier;
  if (kind === "cookie") return rates.spend(`cookie:${account.id}`, cookiePerMinuteMax, tier);
  if (kind === "share") return rates.spendOfStranger(`share:${caller.id}`, sharePerMinuteMax);
  if (isDemo) return rates.spendOfStranger(`demo:${caller.id}`, demoPerMinuteMax);
  return rates.spend(`account:${account.id}`, config.rateLimitRpm ?? account.rateLimitRpm, tier);
}

interface OperationRules {
  readonly rule: AccessRule;
  readonly shares: ShareRule | null;
}

/** The step "demo/scope": may a caller of this kind, and with these rights in the account, do this at all? */
export function requireAccess({ rule, shares }: OperationRules, caller: Caller): void {
  requireKind({ rule, shares }, caller);
  if (!rule.isBeforeFactor) requireFactor(caller);
  requireRights(rule, caller);
  if (needsFreshSignIn(rule, caller)) requireFreshSignIn(caller);
}

function requireKind({ rule, shares }: OperationRules, caller: Caller): void {
  const { access, demo } = rule;
  if (caller.kind === "share") {
    requireShown(shares, caller);
    return;
  }
  if (caller.isDemo && !demo) {
    throw new ApiError(
      "DEMO_READ_ONLY",
      "The demo is read-only. Use an account of your own to change anything.",
    );
  }
  // An operation that is open to the demo is so whatever scopes the demo's session names: GET /live is, and is in none
  // of them.
  if (caller.isDemo) return;
  const scope = access === "optional" ? "account:read" : access;
  if (isScope(scope)) {
    if (!mayUse(scope, caller)) {
      const message = `This agent session does not have the scope ${scope}. Sign in again and request it.`;
      throw new ApiError("FORBIDDEN", message, { required_scope: scope });
    }
    return;
  }
  if (access === "key" && caller.kind === "agent") {
    throw new ApiError(
      "FORBIDDEN",
      "Agent sessions cannot do this. Use the API key or the dashboard.",
    );
  }
  if ((access === "cookie" || access === "admin") && caller.kind !== "cookie") {
    throw new ApiError(
      "FORBIDDEN",
      "Only a browser that is logged in to the dashboard can do this. Log in and use the dashboard.",
    );
  }
  if (access === "admin" && caller.person?.isAdmin !== true) {
    throw new ApiError(
      "FORBIDDEN",
      "Only an administrator can do this. Ask an administrator of this server.",
    );
  }
}

/** Runs the step "plan". */
export function requirePlan({ config }: Deps, { plan }: AccessRule, caller: Caller): void {
  if (plan === "free" || caller.account.tier === "pro") return;
  throw new ApiError("PRO_REQUIRED", "This needs the Pro plan. Open upgrade_url to upgrade.", {
    reason: "plan",
    upgrade_url: `${config.publicUrl}/account/billing`,
  });
}

export const isScope = (access: Access): access is Scope => access.includes(":");

/** Tells whether a caller has a right that an operation asks for in a part of its answer only. */
export const mayUse = (scope: Scope, { kind, scopes }: Caller): boolean =>
  kind === "key" || kind === "cookie" || holds(scopes, scope);

/** `x:write` includes `x:read`. */
function holds(scopes: ReadonlySet<string>, scope: Scope): boolean {
  return scopes.has(scope) || scopes.has(scope.replace(/:read$/, ":write"));
}
