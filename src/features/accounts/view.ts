import type { Caller, CallerAccount, CallerPerson } from "../../domain/caller";
import { effectiveTier, tierLimits } from "../../domain/plan";
import type { Deps } from "../../http/deps";
import type { OwnedAccount } from "../../store/control/accounts";
import type { Account } from "./schema";

type ViewDeps = Pick<Deps, "control" | "usage">;

/** An account and the person who looks at it. `tier` is the one whose rights the account has. */
interface Viewed {
  readonly account: Omit<CallerAccount, "rateLimitRpm">;
  readonly person: Pick<CallerPerson, "email" | "isAdmin">;
}

/** The demo belongs to nobody, and has this in place of an address. */
const nobody = { email: "demo@example.invalid", isAdmin: false };

/** Shows a caller their account. */
export const viewCaller = (deps: ViewDeps, { account, person }: Caller): Account =>
  viewAccount(deps, { account, person: person ?? nobody });

/** Shows an account as its owner sees it. */
export const viewOwned = (
  deps: ViewDeps,
  { account, person }: OwnedAccount,
  projects?: number,
): Account =>
  viewAccount(deps, { account: { ...account, tier: effectiveTier(account) }, person }, projects);

function viewAccount(
  { control, usage }: ViewDeps,
  { account: owner, person }: Viewed,
  projects = control.projects.countOf(owner.id),
): Account {
  return {
    id: owner.id,
    email: person.email,
    github_login: null,
    google_name: null,
    tier: owner.tier,
    complimentary: owner.complimentary,
    is_admin: person.isAdmin,
    created_at: new Date(owner.createdAtMs).toISOString(),
    projects_count: projects,
    tier_limits: tierLimits[owner.tier],
    monthly_spend_cap_dollars: null,
    usage: usage.ofMonth(owner.id),
  };
}
