/*
 * Retention forgets date by date.
 * Decision: the events of a date and of the next one are counted into the project's days, then `retained_from` is
 * raised over the date, then the next one follows.
 * Because: the sums are stored before the events go, and shown once they are gone, so that a crash leaves no date that
 * is counted twice or not at all. A session that goes on past midnight belongs to the date on which it began, which
 * only reads that see both dates know.
 * Cost: two commits a date. Events that arrive for a date after it was counted are not in its sums; with retention of
 * more than 30 days there are none, and an import leaves them out. A session that has no event on a date, and some on
 * both sides of it, is two visits.
 */

import { type DayRow, dayDimensions } from "../domain/day-row";
import { ApiError } from "../domain/errors";
import { dayOf, isoDate } from "../domain/event";
import { ownHostsOf } from "../domain/sources/referrer";
import { timeZoneOf } from "../domain/time-zone";
import { clock, dayMs, secondMs } from "../lib/clock";
import { log } from "../lib/log";
import { type DayRows, dayRowsRead } from "../reads/day-rows";
import { type Usage, usageRead } from "../reads/usage";
import { noteForgotten } from "../store/control/archived-files";
import type { Control } from "../store/control/control";
import type { ProjectRow } from "../store/control/tables";
import type { EventStore, ReadRequest } from "../store/port";
import type { Archive } from "./archive/archive";

interface Stores {
  readonly store: EventStore;
  readonly control: Control;
  readonly archive: Pick<Archive, "write">;
}

/** All in Unix ms. */
interface Span {
  readonly firstEventMs: number;
  /** Older events are deleted already. */
  readonly hiddenMs: number;
  /** Older events will be deleted. */
  readonly retainedFromMs: number;
}

/** After this time a run leaves the other dates to the next one. */
const runMsMax = 30 * secondMs;

/** One run of retention over some projects. */
export class RetentionRun {
  readonly #stores: Stores;
  readonly #isStopped: () => boolean;
  readonly #startedAtMs = clock.nowMs();

  constructor(stores: Stores, isStopped: () => boolean) {
    this.#stores = stores;
    this.#isStopped = isStopped;
  }

  /**
   * Forgets what is older, archived and counted into days where the project wants that. False where dates are left.
   */
  async forget(projectId: string, retainedFromMs: number): Promise<boolean> {
    const { control } = this.#stores;
    const project = control.projects.byId(projectId);
    if (project === undefined) return true;
    // An import decides at its start which of its rows the project still stores.
    if (control.imports.isChanging(projectId)) return false;
    const { isArchiving } = control.retention.archiveOf(projectId);
    if (isArchiving && !(await this.#forgetArchived(project, retainedFromMs))) return false;
    return this.#forget(project, retainedFromMs);
  }

  /** Forgets the dates that have events, each once its file is written and compared. False where dates are left. */
  async #forgetArchived(project: ProjectRow, retainedFromMs: number): Promise<boolean> {
    const { control, archive } = this.#stores;
    for (;;) {
      const { first_event_at: firstMs, retained_from_ms: hiddenMs } = await this.#usageOf(
        project.id,
      );
      noteForgotten(control, project.id, dayOf(hiddenMs));
      if (firstMs === null || firstMs >= retainedFromMs) return true;
      if (this.#isOver) return false;
      const day = dayOf(firstMs);
      if (!(await archive.write(project, day))) return false;
      if (!(await this.#forget(project, (day + 1) * dayMs))) return false;
    }
  }

  async #forget(project: ProjectRow, retainedFromMs: number): Promise<boolean> {
    const { store, control } = this.#stores;
    const { id: projectId } = project;
    const {
      first_event_at: firstEventMs,
      first_own_at: firstOwnMs,
      retained_from_ms: hiddenMs,
    } = await this.#usageOf(projectId);
    if (firstEventMs !== null && firstEventMs < retainedFromMs) {
      // An import names its own first event, for as long as it is there.
      if (firstOwnMs !== null && firstOwnMs < retainedFromMs) {
        control.days.noteDeleted(projectId, firstOwnMs);
      }
      if (control.days.isFolding(projectId)) {
        const span = { firstEventMs, hiddenMs, retainedFromMs };
        return this.#forgetByDate(project, span);
      }
    }
    await store.forget(projectId, retainedFromMs);
    return true;
  }

  async #forgetByDate(
    project: ProjectRow,
    { firstEventMs, hiddenMs, retainedFromMs }: Span,
  ): Promise<boolean> {
    const { store, control } = this.#stores;
    const zone = timeZoneOf(project.timezone);
    const folded = new Set<number>();
    for (const { day, isRetention } of control.days.ofProject(project.id)) {
      if (isRetention) folded.add(day);
    }
    const counted = new Set<number>();
    let deletedMs = hiddenMs;
    /** Returns whether the date has events; null where it could not be counted now. */
    const count = async (day: number): Promise<boolean | null> => {
      // A part of the date before, or of this one, is deleted: the date was counted while all of both was there.
      const isDone = counted.has(day) || (folded.has(day) && zone.startOf(day - 1) < deletedMs);
      if (isDone || zone.startOf(day + 1) > clock.nowMs()) return folded.has(day);
      counted.add(day);
      const hasEvents = await this.#fold(project, day);
      if (hasEvents === true) folded.add(day);
      return hasEvents === null ? null : folded.has(day);
    };
    for (let day = zone.dayAt(firstEventMs); zone.startOf(day) < retainedFromMs; day++) {
      if (this.#isOver) return false;
      const hasEvents = await count(day);
      if (hasEvents === null || (await count(day + 1)) === null) return false;
      const endMs = zone.startOf(day + 1);
      if (!hasEvents || endMs >= retainedFromMs) continue;
      await store.forget(project.id, endMs);
      deletedMs = endMs;
    }
    await store.forget(project.id, retainedFromMs);
    return true;
  }

  get #isOver(): boolean {
    return this.#isStopped() || clock.nowMs() - this.#startedAtMs > runMsMax;
  }

  /** Counts a date into the project's days. False where it has no events, null where its imports change meanwhile. */
  async #fold(project: ProjectRow, day: number): Promise<boolean | null> {
    const { control, store } = this.#stores;
    const { id: projectId, timezone: zone } = project;
    const imports = storedImports(control, projectId);
    const rows = await this.#count(project, day);
    if (rows.length === 0) return false;
    const date = { projectId, day, zone, ownHosts: ownHostsOf(project) };
    const without = imports.length === 0 ? undefined : await store.imports?.countWithout(date);
    const isSame = storedImports(control, projectId).join() === imports.join();
    if (!isSame || control.imports.isChanging(projectId)) return null;
    control.days.fold(projectId, day, rows, without);
    return true;
  }

  /** The rows of a date; none where it has no events. */
  async #count(project: ProjectRow, day: number): Promise<DayRow[]> {
    const { store } = this.#stores;
    const { id: projectId, timezone: zone } = project;
    const rows: DayRow[] = [];
    for (const dimension of dayDimensions) {
      try {
        const input = { projectId, day, zone, dimension };
        const request = { ...this.#request(), ownHosts: ownHostsOf(project) };
        const { json } = await store.read(dayRowsRead, input, request);
        const found: DayRows = JSON.parse(json);
        rows.push(...found.rows);
        if (dimension === "total" && found.rows.length === 0) return [];
      } catch (error) {
        // One dimension may have too many values to count; the others are kept.
        const isTooMuch = error instanceof ApiError && error.code === "QUERY_FAILED";
        if (dimension === "total" || !isTooMuch) throw error;
        log("warn", "a dimension of a date was not folded", {
          ...{ project: projectId, date: isoDate(day), dimension },
        });
      }
    }
    return rows;
  }

  async #usageOf(projectId: string) {
    const today = isoDate(dayOf(clock.nowMs()));
    const input = { projectIds: [projectId], fromDate: today, toDate: today };
    const { json } = await this.#stores.store.read(usageRead, input, this.#request());
    const usage: Usage = JSON.parse(json);
    return usage[projectId];
  }
  /** Its reads wait behind each other, and not before those of accounts. */
  #request(): ReadRequest {
    const { signal } = new AbortController();
    return { accountId: "retention", signal, arrivedAtMs: clock.nowMs() };
  }
}

/** The imports whose events a project has or had. */
const storedImports = ({ imports }: Control, projectId: string): string[] =>
  imports
    .ofProject(projectId)
    .filter(({ state }) => state === "done")
    .map(({ id }) => id);
