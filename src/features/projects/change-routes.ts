import { changedFields } from "../../domain/audit";
import type { SentBudget } from "../../domain/budget";
import { invalidField } from "../../domain/errors";
import type { IdentifySenders } from "../../domain/identity";
import { originsOf } from "../../domain/origin";
import { projectNameOf } from "../../domain/project-name";
import { timeZoneNameOf } from "../../domain/time-zone-name";
import type { Deps } from "../../http/deps";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock } from "../../lib/clock";
import { entryOf, note, noteProjectChanged, targetProject } from "../../store/control/audit";
import { findProjectByPath } from "../../store/control/project-selector";
import { type Change, changeProject } from "../../store/control/projects";
import type { ProjectRow } from "../../store/control/tables";
import { budgetOfProject, checkBudget } from "./budget";
import type { Counts } from "./counts";
import { tellOfProject } from "./project-webhook";
import {
  changeRetention,
  checkRetention,
  type EventsBeforeRead,
  type RetentionChange,
  retentionFields,
} from "./retention";
import { ChangedProject, DeletedProject, ProjectChange } from "./schema";
import { viewProject } from "./view";

interface Reads {
  readonly eventsBeforeRead: EventsBeforeRead;
}

export const changeRoutes = (deps: Deps, counts: Counts, reads: Reads) => [
  changeRoute(deps, counts, reads),
  deleteRoute(deps),
];

/** Before every date on which an event can have been received. */
const beginning = "1970-01-01";

const changeRoute = (deps: Deps, counts: Counts, { eventsBeforeRead }: Reads) =>
  accountOperation("PATCH /projects/{id}", {
    access: free("projects:write"),
    doc: {
      id: "updateProject",
      page: "project/tracking",
      summary: "Change a project",
      description:
        "Changes the name, origins, time zone, or who can link ids. The id stays, and so does the " +
        "snippet on the pages: its token identifies the project. " +
        "The first concrete origin becomes the primary one; `*` alone keeps it. A new time zone only changes " +
        "the dates and hours of reads, not events. `fold` says whether retention counts events into days first, " +
        "`retention_days` for how long events are stored, and `archive` whether they are written to files then. " +
        "`budget` bounds what the project may store.",
      tag: "Projects",
      errors: ["NOT_FOUND", "DUPLICATE_NAME", "DUPLICATE_ORIGIN", "UNAVAILABLE"],
    },
    takes: ProjectChange,
    returns: { 200: ChangedProject },
    handle: async ({ caller, input, params, request }) => {
      const row = findProjectByPath(deps, caller, params.id ?? "");
      const { fold, budget } = input;
      checkRetention(deps, caller, row, input);
      const wanted = budget === undefined ? undefined : checkBudget(caller, budget);
      const change = changeOf(row, input);
      const usage = (await counts.events(row.accountId, [row.id], beginning, request))(row.id);
      const isIdle = Object.keys(change).length === 0;
      const { control } = deps;
      const changed = control.write(() => {
        const before = settingsOf(deps, row);
        if (fold !== undefined) control.days.setFolding(row.id, fold);
        changeRetention(deps, caller, row, input);
        if (wanted !== undefined) control.budgets.set(row.id, wanted);
        const after = isIdle ? row : changeProject(control, row, change);
        noteProjectChanged(control, caller, after, changedFields(before, settingsOf(deps, after)));
        return after;
      });
      return {
        ...viewProject(deps.control, changed, usage.total_events, counts.totalReads(row)),
        ...(await retentionFields(deps, eventsBeforeRead, changed, usage, request)),
        budget: budgetOfProject(deps, changed.id),
      };
    },
  });

/** The settings that the operation changes, as the audit log shows them. */
const settingsOf = (deps: Deps, row: ProjectRow) => ({
  ...{ name: row.name, allowed_origins: row.allowedOrigins, timezone: row.timezone },
  ...{ identify: row.identify, fold: deps.control.days.isFolding(row.id) },
  budget: budgetOfProject(deps, row.id),
});

/** Returns what is to be changed. Throws MISSING_FIELDS. */
function changeOf(row: ProjectRow, input: ChangeInput): Change {
  const { name, allowed_origins: origins, timezone, identify } = input;
  if (Object.values(input).every((value) => value === undefined)) {
    throw invalidField("name", `Send one of ${changeable.join(", ")}.`);
  }
  const isRenamed = name !== undefined && projectNameOf(name) !== row.name;
  return {
    ...(isRenamed && { name }),
    ...(origins !== undefined && changeOfOrigins(origins)),
    ...(timezone !== undefined && { timezone: timeZoneNameOf(timezone, "timezone") }),
    ...(identify !== undefined && { identify }),
  };
}

function changeOfOrigins(origins: string): Change {
  const { allowed, primary } = originsOf(origins, "allowed_origins");
  return { allowedOrigins: allowed, ...(primary !== null && { primaryDomain: primary }) };
}

const changeable = Object.keys(ProjectChange.properties);

interface ChangeInput extends RetentionChange {
  readonly name?: string;
  readonly allowed_origins?: string;
  readonly timezone?: string;
  readonly identify?: IdentifySenders;
  readonly fold?: boolean;
  readonly budget?: SentBudget | null;
}

const deleteRoute = (deps: Deps) =>
  accountOperation("DELETE /projects/{id}", {
    access: free("projects:write", "", { role: "admin" }),
    doc: {
      id: "deleteProject",
      page: "project/danger",
      summary: "Delete a project",
      description:
        "Its token stops working immediately, reads return 404, and its name and origin can be used again. The " +
        "data is erased 30 days later.",
      tag: "Projects",
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: DeletedProject },
    handle: ({ caller, params }) => {
      const row = findProjectByPath(deps, caller, params.id ?? "");
      const { id } = row;
      deps.control.write(() => {
        deps.control.deletion.project(id, clock.nowMs());
        tellOfProject(deps, caller, row, "project.deleted");
        note(deps.control, entryOf(caller, "project_deleted", targetProject(row)));
      });
      return { ok: true, deleted: id };
    },
  });
