import type { Caller, CallerAccount, CallerPerson } from "../../domain/caller";
import { effectiveTier, limitsOf } from "../../domain/plan";
import { seesPeople } from "../../domain/role";
import { callerOfSession } from "../../http/auth/caller";
import type { Deps } from "../../http/deps";
import { assert } from "../../lib/assert";
import { clock } from "../../lib/clock";
import { accountById, type OwnedAccount } from "../../store/control/accounts";
import { accountsOfPerson } from "../../store/control/members";
import { readableProjects } from "../../store/control/project-selector";
import { factorSince } from "../../store/control/second-factors";
import type { Account, OwnAccount } from "./schema";

type ViewDeps = Pick<Deps, "control" | "usage" | "config">;

/** An account and the person who looks at it. `tier` is the one whose rights the account has. */
interface Viewed {
  readonly account: Omit<CallerAccount, "rateLimitRpm" | "requiresTwoFactor">;
  readonly person: Pick<CallerPerson, "email" | "isAdmin">;
}

/** The demo belongs to nobody, and has this in place of an address. */
const nobody = { email: "demo@example.invalid", isAdmin: false };

/** Shows a caller the account in which they act. */
export function viewCaller(deps: ViewDeps, caller: Caller): OwnAccount {
  const { account, kind, person, standing } = caller;
  const { control } = deps;
  const projects = readableProjects(deps, caller).length;
  const own = viewAccount(deps, { account, person: person ?? nobody }, projects);
  const name = account.name ?? accountById(control, account.id)?.person.email ?? demoName;
  if (person === null || standing === null) {
    return {
      ...own,
      ...{ name, role: "viewer", people: true, projects: null, two_factor: false, user: null },
    };
  }
  return {
    ...own,
    ...{ name, role: standing.role, people: seesPeople(standing) },
    projects: standing.projects === null ? null : [...standing.projects],
    two_factor: factorSince(control, person.id) !== null,
    user: { id: person.id, email: person.email },
    ...(kind === "cookie" && { memberships: accountsOfPerson(control, person.id) }),
  };
}

/** Shows a browser's person another account of theirs, or the same one after a change. */
export function viewAs(deps: ViewDeps, caller: Caller, accountId: string): OwnAccount {
  const { credentials } = deps.control;
  const holder = credentials.holderOfSessionIn(accountId, caller.sessionHash ?? "", clock.nowMs());
  assert(holder !== undefined, "the person is a member of the account that is shown");
  return viewCaller(deps, callerOfSession(holder));
}

const demoName = "Demo";

/** Shows an account as its owner sees it. */
export const viewOwned = (
  deps: ViewDeps,
  { account, person }: OwnedAccount,
  projects?: number,
): Account =>
  viewAccount(deps, { account: { ...account, tier: effectiveTier(account) }, person }, projects);

function viewAccount(
  { control, usage, config }: ViewDeps,
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
    tier_limits: limitsOf(owner.tier, config.retentionDays),
    monthly_spend_cap_dollars: null,
    usage: usage.ofMonth(owner.id),
  };
}
