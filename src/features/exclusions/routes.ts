import { ownNetworkOf } from "../../domain/exclusions/networks";
import { type ExclusionRules, exclusionRulesOf } from "../../domain/exclusions/rules";
import type { Deps } from "../../http/deps";
import type { Peer } from "../../http/edge/address";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock } from "../../lib/clock";
import { actorOf, note } from "../../store/control/audit";
import { exclusionRulesOfProject, setExclusionRules } from "../../store/control/exclusions";
import { findProjectByPath } from "../../store/control/project-selector";
import { exclusionsExample } from "./examples";
import { Exclusions, ExclusionsChange } from "./schema";

/** The rules by which a project stores no events of some senders and pages, such as its owner's own visits. */
export const exclusionsFeature = (deps: Deps): Feature => ({
  operations: [getRoute(deps), putRoute(deps)],
});

const tag = "Projects";

const getRoute = (deps: Deps) =>
  accountOperation("GET /projects/{id}/exclusions", {
    // The rules name addresses of the owner.
    access: free("projects:read", "", { role: "editor" }),
    doc: {
      id: "getExclusions",
      summary: "Get the exclusions of a project",
      description:
        "The senders and pages whose events are not stored, your own network to exclude, and how many events " +
        "were excluded in the last 24 hours. Automated senders are filtered before.",
      tag,
      example: exclusionsExample,
      errors: ["NOT_FOUND"],
    },
    takes: nothing,
    returns: { 200: Exclusions },
    handle: ({ caller, params, peer }) => {
      const { id } = findProjectByPath(deps, caller, params.id ?? "");
      return answerOf(deps, id, exclusionRulesOfProject(deps.control.db, id), peer());
    },
  });

const putRoute = (deps: Deps) =>
  accountOperation("PUT /projects/{id}/exclusions", {
    access: free("projects:write"),
    doc: {
      id: "putExclusions",
      page: "project/tracking",
      summary: "Set the exclusions of a project",
      description:
        "Replaces all rules; absent lists become empty. Events that match are answered with `queued: false` and " +
        "`reason: excluded`, are not stored and do not count. Stored events stay. Rules apply immediately, to " +
        "events of servers and of other products' clients too.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: ExclusionsChange,
    returns: { 200: Exclusions },
    handle: ({ caller, input, params, peer }) => {
      const { id, name, accountId } = findProjectByPath(deps, caller, params.id ?? "");
      const rules = exclusionRulesOf(input);
      const { control } = deps;
      control.write(() => {
        if (Bun.deepEquals(rules, exclusionRulesOfProject(control.db, id))) return;
        setExclusionRules(control, id, rules);
        note(control, {
          ...{ accountId, actor: actorOf(caller), action: "exclusions_changed" },
          ...{ target: { type: "project", id, name }, details: countsOf(rules) },
        });
      });
      return answerOf(deps, id, rules, peer());
    },
  });

/** The audit log has no addresses. */
const countsOf = ({ ips, countries, paths, hostnames }: ExclusionRules) => ({
  ...{ ips: ips.length, countries: countries.length },
  ...{ paths: paths.length, hostnames: hostnames.length },
});

const answerOf = (deps: Deps, projectId: string, rules: ExclusionRules, { address }: Peer) => ({
  ...{ ips: [...rules.ips], countries: [...rules.countries] },
  ...{ paths: [...rules.paths], hostnames: [...rules.hostnames] },
  your_address: ownNetworkOf(address),
  excluded_24h: deps.excludedCounts.of(projectId, clock.nowMs()),
});
