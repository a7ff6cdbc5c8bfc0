import { comparedWindow } from "../../domain/period";
import { timeZoneDefault, zoneOfRead } from "../../domain/time-zone-name";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { readableProjects } from "../../store/control/project-selector";
import { allSitesExample } from "./examples";
import { allSitesRead } from "./read";
import { AllSitesQuery, AllSitesResponse, allSitesLimitDefault } from "./schema";

/** Projects may have different zones: an account has none of its own. */
const utcUnlessAsked = { timezone: timeZoneDefault };

export const allSitesFeature = (deps: Deps): Feature => ({
  operations: [
    accountOperation("GET /account/all-sites", {
      access: free("account:read", "RD"),
      doc: {
        id: "getAllSites",
        summary: "Compare all projects",
        description:
          "Events of all projects in a period, by default the last 7 dates, compared with the previous " +
          "period, with the largest projects. Start here if you do not know which project matters.",
        tag: "Reads",
        example: allSitesExample,
      },
      takes: AllSitesQuery,
      returns: { 200: AllSitesResponse },
      handle: ({ caller, input, read }) => {
        const { limit = allSitesLimitDefault } = input;
        const projects = readableProjects(deps, caller).map(({ id, name }) => ({ id, name }));
        const zone = zoneOfRead(input.tz, utcUnlessAsked);
        const period = comparedWindow({ ...input, nowMs: clock.nowMs(), zone });
        return read(allSitesRead, { projects, limit, ...period }, period.current);
      },
    }),
  ],
});
