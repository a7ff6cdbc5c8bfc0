import type { Budget, ToldPercent } from "../../domain/budget";
import { overBudget, percentOf } from "../../domain/budget";
import type { ApiError } from "../../domain/errors";
import { dayOf, isoDate } from "../../domain/event";
import { monthOf, nextMonthMs } from "../../domain/month";
import { unlimited } from "../../domain/plan";
import { clock, secondMs } from "../../lib/clock";
import type { BudgetRow } from "../../store/control/budget-tables";
import type { Control } from "../../store/control/control";
import type { EventStore } from "../../store/port";
import type { ReplayStore } from "../../store/replay-port";
import { projectBytes } from "../disk/project-bytes";
import { MonthVolume } from "../month-volume";
import { type NoticeParts, tellOfBudget } from "./notice";

interface Parts extends NoticeParts {
  readonly control: Control;
  readonly store: EventStore;
  readonly replays: ReplayStore;
}

/** Begins with what this month has brought so far, so it is opened before an event can be stored. */
export async function openBudgets(parts: Parts): Promise<Budgets> {
  const nowMs = clock.nowMs();
  const month = `${monthOf(nowMs)}-01`;
  const received = await parts.store.receivedEvents(month, isoDate(dayOf(nowMs)));
  return new Budgets(parts, new MonthVolume(nowMs, received));
}

/** The budgets of projects: refuses events beyond them, and tells administrators before. */
export class Budgets {
  #known: ReadonlyMap<string, Budget> = new Map();
  #seenRevision = -1;
  /** The projects whose bytes reached their budget at the last look. */
  #full: ReadonlySet<string> = new Set();
  /** The projects of which events were refused since the last look. */
  readonly #refused = new Set<string>();

  constructor(
    private readonly parts: Parts,
    private readonly volume: MonthVolume,
  ) {}

  /** Takes room for events that are about to be stored, all or none. Returns RATE_LIMITED when there is none left. */
  reserve(projectId: string, events: number): ApiError | null {
    const budget = this.#budgets.get(projectId);
    if (budget?.whenOver === "refuse" && this.#full.has(projectId)) {
      return over(`${budget.bytes} bytes`);
    }
    const limit = budget?.eventsPerMonth ?? unlimited;
    if (this.volume.reserve(projectId, events, limit)) return null;
    this.#refused.add(projectId);
    return over(`${limit} events per month`);
  }
  release(projectId: string, events: number): void {
    this.volume.settle(projectId, events, 0);
  }
  settle(projectId: string, reserved: number, stored: number): void {
    this.volume.settle(projectId, reserved, stored);
  }

  /** The events of a project that were stored in this UTC month, as its budget counts them. */
  storedThisMonth(projectId: string): number {
    return this.volume.stored(projectId);
  }

  /** Compares what projects use with their budgets, and tells their administrators. */
  async look(): Promise<void> {
    const { control } = this.parts;
    const rows = control.budgets.all();
    const measured = rows.filter(({ bytes }) => bytes !== null);
    const bytes =
      measured.length === 0
        ? new Map<string, number>()
        : await projectBytes(
            this.parts,
            measured.map(({ projectId }) => projectId),
          );
    const bytesOf = (id: string): number => bytes.get(id) ?? 0;
    this.#full = new Set(
      measured
        .filter((row) => bytesOf(row.projectId) >= (row.bytes ?? 0))
        .map((row) => row.projectId),
    );
    for (const row of rows) this.#tell(row, bytesOf(row.projectId));
    this.#refused.clear();
  }

  /** The budgets in memory; all are read again when anything in control.db was changed. */
  get #budgets(): ReadonlyMap<string, Budget> {
    const { control } = this.parts;
    if (control.revision !== this.#seenRevision) {
      this.#seenRevision = control.revision;
      this.#known = new Map(control.budgets.all().map((row) => [row.projectId, row]));
    }
    return this.#known;
  }

  #tell(row: BudgetRow, usedBytes: number): void {
    const month = monthOf(clock.nowMs());
    const events = this.#percentOfEvents(row);
    const bytes = row.bytes === null ? 0 : percentOf(usedBytes, row.bytes);
    const toldEvents = row.toldMonth === month ? row.toldEventsPercent : 0;
    // A budget of bytes that has room again sends another notice when it fills up.
    const toldBytes = bytes === 0 ? 0 : row.toldBytesPercent;
    const after = {
      ...{ toldMonth: month, toldEventsPercent: Math.max(toldEvents, events) },
      toldBytesPercent: Math.max(toldBytes, bytes),
    };
    const isSame =
      row.toldMonth === after.toldMonth &&
      row.toldEventsPercent === after.toldEventsPercent &&
      row.toldBytesPercent === after.toldBytesPercent;
    if (isSame) return;
    const used = { events: this.volume.stored(row.projectId), bytes: usedBytes };
    this.parts.control.write(() => {
      this.parts.control.budgets.noteTold(row.projectId, after);
      if (events > toldEvents)
        tellOfBudget(this.parts, row, { what: "events", percent: events, used });
      if (bytes > toldBytes) tellOfBudget(this.parts, row, { what: "bytes", percent: bytes, used });
    });
  }

  /** A request that was refused is at the limit, though others may fit. */
  #percentOfEvents({ projectId, eventsPerMonth }: BudgetRow): ToldPercent {
    if (eventsPerMonth === null) return 0;
    if (this.#refused.has(projectId)) return 100;
    return percentOf(this.volume.stored(projectId), eventsPerMonth);
  }
}

function over(what: string): ApiError {
  const nowMs = clock.nowMs();
  return overBudget(what, (nextMonthMs(nowMs) - nowMs) / secondMs);
}
