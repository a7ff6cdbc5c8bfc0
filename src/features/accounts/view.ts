import type { CallerAccount } from "../../domain/caller";
import { tierLimits } from "../../domain/plan";
import type { Deps } from "../../http/deps";
import type { Account } from "./schema";

type Owner = Omit<CallerAccount, "rateLimitRpm">;

/** An account as its owner sees it. `tier` is the one whose rights it has. */
export function viewAccount(
  { control, usage }: Pick<Deps, "control" | "usage">,
  owner: Owner,
  projects = control.projects.countOf(owner.id),
): Account {
  return {
    id: owner.id,
    email: owner.email,
    github_login: null,
    google_name: null,
    tier: owner.tier,
    complimentary: owner.complimentary,
    is_admin: owner.isAdmin,
    created_at: new Date(owner.createdAtMs).toISOString(),
    projects_count: projects,
    tier_limits: tierLimits[owner.tier],
    monthly_spend_cap_dollars: null,
    usage: usage.ofMonth(owner.id),
  };
}
