import { type Caller, memberOf } from "../../domain/caller";
import { dayOf, isoDate } from "../../domain/event";
import { firstStoredDate } from "../../domain/retention";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock } from "../../lib/clock";
import { projectBytes } from "../../services/disk/project-bytes";
import { keyOf } from "../../store/control/keys";
import { findProjectByPath, readableProjects } from "../../store/control/project-selector";
import type { ProjectRow } from "../../store/control/tables";
import { budgetOfProject } from "./budget";
import { changeRoutes } from "./change-routes";
import { Counts, type EventUsage, type UsageRead } from "./counts";
import { createRoute } from "./create-route";
import { projectExample, projectsExample, usageExample } from "./examples";
import { type EventsBeforeRead, retentionFields } from "./retention";
import { ProjectList, ProjectToday, ProjectUsage, UsageRequest } from "./schema";
import { viewProject } from "./view";

interface Reads {
  readonly usageRead: UsageRead;
  readonly eventsBeforeRead: EventsBeforeRead;
}

/** The operations on an account's projects, with what each has used. */
export function projectsFeature(deps: Deps, reads: Reads): Feature {
  const counts = new Counts(deps, reads.usageRead);
  return {
    operations: [
      listRoute(deps, counts),
      createRoute(deps, counts),
      projectRoute(deps, counts, reads),
      usageRoute(deps, counts),
      ...changeRoutes(deps, counts, reads),
    ],
  };
}

const listRoute = (deps: Deps, counts: Counts) =>
  accountOperation("GET /projects", {
    access: free("projects:read", "D"),
    doc: {
      id: "listProjects",
      summary: "List projects",
      description: "Oldest first. Other operations accept the `name` or `id` as `project`.",
      tag: "Projects",
      example: projectsExample,
    },
    takes: nothing,
    returns: { 200: ProjectList },
    handle: async ({ caller, request }) => {
      const { id, tier } = caller.account;
      const rows = readableProjects(deps, caller);
      const reads = rows.map((row) => counts.totalReads(row));
      const ids = rows.map((row) => row.id);
      const events = await counts.events(id, ids, today(), request);
      return {
        projects: rows.map((row, at) =>
          viewProject(deps.control, row, events(row.id).total_events, reads[at] ?? 0),
        ),
        has_api_key: hasKey(deps, caller),
        tier,
      };
    },
  });

const projectRoute = (deps: Deps, counts: Counts, { eventsBeforeRead }: Reads) =>
  accountOperation("GET /projects/{id}", {
    access: free("projects:read", "D"),
    shares: { isUnfiltered: true },
    doc: {
      id: "getProject",
      summary: "Get a project with today's usage",
      description: "`{id}` is the project's id or its exact name.",
      tag: "Projects",
      example: projectExample,
      errors: ["NOT_FOUND"],
    },
    takes: nothing,
    returns: { 200: ProjectToday },
    handle: async ({ caller, params, request }) => {
      const row = findProjectByPath(deps, caller, params.id ?? "");
      const date = today();
      const totalReads = counts.totalReads(row);
      const events = (await counts.events(row.accountId, [row.id], date, request))(row.id);
      const bytes = caller.kind === "share" ? null : await projectBytes(deps, [row.id]);
      return {
        ...viewProject(deps.control, row, events.total_events, totalReads),
        ...(await retentionFields(deps, eventsBeforeRead, row, events, request)),
        usage_today: {
          event_count: events.days[date] ?? 0,
          read_count: counts.reads(row.id, date).get(date) ?? 0,
        },
        first_event_at: events.first_event_at,
        last_event_at: events.last_event_at,
        retained_from: retainedFrom(deps, row, events),
        ...(bytes !== null && {
          ...{ bytes: bytes.get(row.id) ?? 0, budget: budgetOfProject(deps, row.id) },
          events_this_month: deps.budgets.storedThisMonth(row.id),
        }),
      };
    },
  });

const usageRoute = (deps: Deps, counts: Counts) =>
  accountOperation("GET /projects/{id}/usage", {
    access: free("projects:read", "D"),
    shares: { isUnfiltered: true },
    doc: {
      id: "getProjectUsage",
      summary: "Get a project's usage by date",
      description:
        "Events and reads by date of receipt, which can differ from the event's date. Oldest first, up to " +
        "today, including dates without events.",
      tag: "Projects",
      example: usageExample,
      errors: ["NOT_FOUND"],
    },
    takes: UsageRequest,
    returns: { 200: ProjectUsage },
    handle: async ({ caller, input, params, request }) => {
      const { id, accountId } = findProjectByPath(deps, caller, params.id ?? "");
      const lastDay = dayOf(clock.nowMs());
      const dates = Array.from({ length: input.days }, (_, at) =>
        isoDate(lastDay - input.days + 1 + at),
      );
      const [fromDate = ""] = dates;
      const { days } = (await counts.events(accountId, [id], fromDate, request))(id);
      const reads = counts.reads(id, fromDate);
      return {
        project_id: id,
        usage: dates.map((date) => ({
          date,
          event_count: days[date] ?? 0,
          read_count: reads.get(date) ?? 0,
        })),
      };
    },
  });

const hasKey = ({ control }: Deps, caller: Caller): boolean =>
  caller.person !== null && keyOf(control, memberOf(caller)) !== undefined;

/** Until something was hidden this is what will be stored, as nothing older was there. */
function retainedFrom(
  { control, config }: Deps,
  row: ProjectRow,
  { retained_from_ms: ms }: EventUsage,
): string {
  if (ms > 0) return isoDate(dayOf(ms));
  const nowMs = clock.nowMs();
  return firstStoredDate(nowMs, control.retention.daysToday(row, nowMs, config.retentionDays));
}

const today = (): string => isoDate(dayOf(clock.nowMs()));
