import { coversHost } from "../../domain/allowed-origin";
import type { Caller } from "../../domain/caller";
import { ApiError, invalidField } from "../../domain/errors";
import { dayOf, isoDate } from "../../domain/event";
import { type Origins, originsOf } from "../../domain/origin";
import { projectNameOf } from "../../domain/project-name";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { entryOf, note, targetProject } from "../../store/control/audit";
import { addProject } from "../../store/control/projects";
import type { ProjectRow } from "../../store/control/tables";
import type { Counts } from "./counts";
import { tellOfProject } from "./project-webhook";
import { ExistingProject, NewProject, ProjectRequest } from "./schema";
import { installationOf, viewProject } from "./view";

export const createRoute = (deps: Deps, counts: Counts) =>
  accountOperation("POST /projects", {
    access: free("projects:write", "", { isWhole: true }),
    doc: {
      id: "createProject",
      summary: "Create a project",
      description:
        "Create one project per site. Needs one concrete origin, as `domain` or in `allowed_origins`. If the " +
        "account already has a project with this name, the response has that project with `existing: true`, so " +
        "you can safely repeat the request. The response has the snippet for the site's pages.",
      tag: "Projects",
      errors: ["DUPLICATE_ORIGIN", "INVALID_SOURCE_SCAN", "PRO_REQUIRED", "UNAVAILABLE"],
    },
    takes: ProjectRequest,
    returns: { 201: NewProject, 200: ExistingProject },
    handle: async ({ caller, input, request }) => {
      const { config, control } = deps;
      const name = projectNameOf(input.name);
      const answerExisting = async (row: ProjectRow) => {
        const date = isoDate(dayOf(clock.nowMs()));
        const reads = counts.totalReads(row);
        const events = await counts.events(row.accountId, [row.id], date, request);
        const view = viewProject(deps.control, row, events(row.id).total_events, reads);
        return reply(200, {
          ...view,
          ...installationOf(row, config, request.headers),
          existing: true,
        });
      };
      const existing = control.projects.bySelector(caller.account.id, name);
      if (existing !== undefined) return answerExisting(existing);

      const { allowed, primary } = siteOf(input.domain, input.allowed_origins);
      const sourceScanId = input.source_scan_id ?? null;
      if (sourceScanId !== null) refuseForeignScan(control, caller, sourceScanId, allowed);
      const made = {
        ...{ name, allowedOrigins: allowed, primaryDomain: primary, sourceScanId },
        upgradeUrl: `${config.publicUrl}/account/billing`,
      };
      const { row, isNew } = control.write(() => {
        const added = addProject(control, caller.account, made);
        if (added.isNew) {
          tellOfProject(deps, caller, added.row, "project.created");
          note(control, entryOf(caller, "project_created", targetProject(added.row)));
        }
        return added;
      });
      if (!isNew) return answerExisting(row);
      return reply(201, {
        ...viewProject(deps.control, row, 0, 0),
        ...installationOf(row, config, request.headers),
      });
    },
  });

/** A project begins with a scan of its own site only. That somebody can read a scan does not make it theirs. */
function refuseForeignScan(
  control: Deps["control"],
  { account }: Caller,
  scanId: string,
  allowedOrigins: string,
): void {
  const scan = control.scans.byId(scanId);
  if (scan === undefined || scan.accountId !== account.id) {
    const message =
      "This account does not have this scan. To take over a preview, send POST /website-scans/{id}/upgrade.";
    throw new ApiError("INVALID_SOURCE_SCAN", message);
  }
  if (coversHost(scan.hostname, allowedOrigins)) return;
  const message =
    "The scan covers another site than the origins of this project. Add its origin, or leave out the scan.";
  throw new ApiError("INVALID_SOURCE_SCAN", message);
}

/** `domain` comes first, whatever else is allowed. */
function siteOf(
  domain: string | undefined,
  allowedOrigins: string | undefined,
): Origins & { readonly primary: string } {
  const own = domain === undefined ? null : originsOf(domain, "domain");
  const listed = allowedOrigins === undefined ? null : originsOf(allowedOrigins, "allowed_origins");
  const primary = own?.primary ?? listed?.primary;
  if (primary === undefined || primary === null || own?.primary === null) {
    const message =
      'A project needs the origin of its site. Send "domain", such as https://example.com.';
    throw invalidField("domain", message);
  }
  const given = [own?.allowed, listed?.allowed].filter((list) => list !== undefined).join(",");
  return { allowed: originsOf(given, "allowed_origins").allowed, primary };
}
