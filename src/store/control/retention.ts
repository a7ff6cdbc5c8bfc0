import { eq } from "drizzle-orm";
import { tierLimits } from "../../domain/plan";
import {
  type ChangedDays,
  changedTo,
  daysAtRun,
  type StoredDays,
  shorterOf,
} from "../../domain/retention";
import type { ControlConnection } from "./database";
import { lifecycleQueries } from "./lifecycle";
import { retention } from "./retention-tables";
import { settingQueries } from "./settings";
import type { ProjectRow } from "./tables";

const nameOfServers = "pro_retention";
const never: ChangedDays = { days: null, formerDays: null, changedAtMs: 0 };

/** The numbers of days for which projects store events, as their owners and the operator of the server set them. */
export class Retention {
  constructor(private readonly control: ControlConnection) {}

  /** The project's own number; null is its plan's. */
  daysOf(projectId: string): StoredDays {
    return this.#changedOf(projectId).days;
  }

  /** The days for which a project stores events today, by its own setting and the plan of its account. */
  daysToday(
    project: Pick<ProjectRow, "id" | "accountId">,
    nowMs: number,
    ofServer: StoredDays,
  ): StoredDays {
    const ofPlan = lifecycleQueries(this.control).storedDaysOfPlan(
      project.accountId,
      nowMs,
      ofServer,
    );
    return shorterOf(ofPlan, this.daysOf(project.id));
  }

  /** The number that a run obeys, of the project's own and its plan's. */
  daysAtRun(projectId: string, ofPlan: StoredDays, runMs: number): StoredDays {
    return shorterOf(ofPlan, daysAtRun(this.#changedOf(projectId), runMs));
  }

  setDays(projectId: string, days: StoredDays, nowMs: number): void {
    const set = changedTo(days, this.#changedOf(projectId), nowMs);
    this.control.db
      .insert(retention)
      .values({ projectId, ...set })
      .onConflictDoUpdate({ target: retention.projectId, set })
      .run();
  }

  /** Tells whether dates are written to files before their events are deleted, and whether that fails. */
  archiveOf(projectId: string): { readonly isArchiving: boolean; readonly isFailing: boolean } {
    const { isArchiving = false, isFailing = false } = this.#rowOf(projectId) ?? {};
    return { isArchiving, isFailing: isArchiving && isFailing };
  }
  setArchive(
    projectId: string,
    set: { readonly isArchiving?: boolean; readonly isFailing?: boolean },
  ): void {
    this.control.write(() => {
      this.control.db
        .insert(retention)
        .values({ projectId, ...set })
        .onConflictDoUpdate({ target: retention.projectId, set })
        .run();
    });
  }

  /** The number of Pro that a run obeys. The server's own may have changed with this start. */
  serversAtRun(days: StoredDays, runMs: number, nowMs: number): StoredDays {
    const settings = settingQueries(this.control.db);
    const noted = settings.read(nameOfServers);
    const before: ChangedDays = noted === undefined ? ofSpecification : JSON.parse(noted);
    if (before.days === days && noted !== undefined) return daysAtRun(before, runMs);
    const changed = changedTo(days, before, nowMs);
    this.control.write(() => settings.put(nameOfServers, JSON.stringify(changed)));
    return daysAtRun(changed, runMs);
  }

  #changedOf(projectId: string): ChangedDays {
    return this.#rowOf(projectId) ?? never;
  }
  #rowOf(projectId: string) {
    const { db } = this.control;
    return db.select().from(retention).where(eq(retention.projectId, projectId)).get();
  }
}

const { retention_days: proDays } = tierLimits.pro;
const ofSpecification: ChangedDays = { days: proDays, formerDays: proDays, changedAtMs: 0 };
