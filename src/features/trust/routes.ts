import { ApiError } from "../../domain/errors";
import { daysOf } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import { policyDefault } from "../../domain/trust/flagged";
import { rulesVersion, trustRules } from "../../domain/trust/rules";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { publicOperation } from "../../http/operation/public-operation";
import { clock } from "../../lib/clock";
import { noteProjectChanged } from "../../store/control/audit";
import { policyOf, setPolicy } from "../../store/control/trust";
import { trustExample } from "./examples";
import { trustRead } from "./read";
import {
  TrustBody,
  TrustPolicyResponse,
  TrustQuery,
  TrustResponse,
  TrustRules,
  trustLimitDefault,
} from "./schema";

const tag = "Trust";

/** Texts of visitors that read like orders to the programs that read them. */
export const trustFeature = (deps: Deps): Feature => ({
  operations: [getRoute(), putRoute(deps), rulesRoute()],
});

const getRoute = () =>
  projectOperation("GET /trust", {
    access: free("analytics:read", "RD"),
    // Flagged texts may be ids and traits of users.
    shares: { page: "identity", isUnfiltered: true },
    doc: {
      id: "getTrust",
      summary: "List flagged texts",
      description:
        "Texts in events that rules flag as instructions to agents, within a minute of receipt. Flags change " +
        "no numbers, and hide nothing unless PUT /trust says so.",
      tag,
      example: trustExample,
    },
    takes: TrustQuery,
    returns: { 200: TrustResponse },
    handle: ({ project, input, read }) => {
      const { since, until, limit = trustLimitDefault, show = false } = input;
      const zone = zoneOfRead(input.tz, project);
      const days = daysOf({ since, until, nowMs: clock.nowMs(), zone });
      const question = { projectId: project.id, days, policy: policyOf(project), limit, show };
      return read(trustRead, question, days);
    },
  });

const putRoute = (deps: Deps) =>
  projectOperation("PUT /trust", {
    access: free("projects:write"),
    doc: {
      id: "putTrust",
      page: "project/privacy",
      summary: "Set the policy for flagged texts",
      description:
        "Replaces the policy; absent fields get their defaults. Filters accept a text or its mask.",
      tag,
    },
    takes: TrustBody,
    returns: { 200: TrustPolicyResponse },
    handle: ({ caller, project, input }) => {
      const { flagged = policyDefault.flagged, cleared = policyDefault.cleared } = input;
      if (flagged === "hold") {
        throw new ApiError("INVALID_BODY", "`hold` is not supported yet. Send `show` or `mask`.", {
          field: "flagged",
        });
      }
      const policy = { flagged, cleared: [...new Set(cleared)] };
      const { control } = deps;
      control.write(() => {
        setPolicy(control, project.id, policy);
        // The texts that were cleared are those of visitors, so the log has their number alone.
        if (Bun.deepEquals(policy, policyOf(project))) return;
        const trust = { flagged, cleared: policy.cleared.length };
        noteProjectChanged(control, caller, project, { trust });
      });
      return { project: project.name, ...policy };
    },
  });

const rulesRoute = () =>
  publicOperation("GET /trust/rules", {
    access: free("none"),
    doc: {
      id: "getTrustRules",
      summary: "List the rules",
      description:
        "Regular expressions; one match flags a text. `hidden` is matched as sent; the others after NFKC, " +
        "removing format characters, lower case and folding spaces, from 12 characters on.",
      tag,
    },
    takes: nothing,
    returns: { 200: TrustRules },
    handle: () => ({ version: rulesVersion, rules: trustRules }),
  });
