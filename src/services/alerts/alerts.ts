/*
 * An alert is judged once per date or per five minutes.
 * Decision: the slot that was judged, the state and the messages are written in one commit.
 * Because: a restart, a kill or a clock that is set must neither repeat a message nor lose one.
 * Cost: a judgement whose commit fails is made again a minute later.
 */

import { isEach } from "../../domain/alerts/specs";
import { timeZoneOf } from "../../domain/time-zone";
import { clock, dayMs, hourMs, minuteMs } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import type { AlertRow } from "../../store/control/alert-tables";
import type { QuietSlot } from "../../store/control/alerts";
import type { Control } from "../../store/control/control";
import type { ProjectRow } from "../../store/control/tables";
import type { EventStore } from "../../store/port";
import { dateIn, type Judgement, judge } from "./judge";
import { type AlertSenders, tellOfAlert, tellOfHeldBack } from "./messages";

interface Parts extends AlertSenders {
  readonly control: Control;
  readonly store: EventStore;
  /** A time that goes on whatever is done to the clock. */
  readonly runningMs?: () => number;
}

const quietMs = 15 * minuteMs;
const jumpMs = 1 * hourMs;
const windowEveryMs = 5 * minuteMs;
const changeAgainMs = 7 * dayMs;
const surgeAgainMs = 12 * hourMs;

export class Alerts {
  readonly #parts: Parts;
  readonly #runningMs: () => number;
  /** The two clocks when they were compared last, and since when they agree. */
  #seenAt: { readonly nowMs: number; readonly runningMs: number };
  #runningSinceMs: number;
  /** The data of which each goal was judged last. */
  readonly #lastSeen = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#runningMs = parts.runningMs ?? (() => performance.now());
    const nowMs = clock.nowMs();
    this.#seenAt = { nowMs, runningMs: this.#runningMs() };
    this.#runningSinceMs = nowMs;
  }

  /** The numbers of a rule at a moment. Sends nothing. */
  evaluate(project: ProjectRow, alert: AlertRow, nowMs: number): Promise<Judgement> {
    const { control, store } = this.#parts;
    return judge({ control, store, project, nowMs, runningSinceMs: 0 }, alert);
  }

  /** Sends one message that is marked as a test. */
  test(project: ProjectRow, alert: AlertRow): void {
    const { control } = this.#parts;
    control.write(() => tellOfAlert(this.#parts, project, alert, { kind: "test" }));
  }

  /** Judges whatever is due. What changed nothing is noted together, at the end. */
  async run(nowMs: number): Promise<void> {
    this.#compareClocks(nowMs);
    const { control } = this.#parts;
    const quiet: QuietSlot[] = [];
    const all = control.alerts.all();
    this.#forgetDeleted(all);
    for (const { alert, project } of all) {
      const slot = this.#slotOf(project, alert, nowMs);
      if (slot === null || slot === alert.slot || control.tierOf(project.accountId) !== "pro")
        continue;
      try {
        if (!(await this.#judgeOne(project, alert, slot, nowMs))) quiet.push({ alert, slot });
      } catch (error) {
        log("error", "an alert could not be judged", { alert: alert.id, ...describeFault(error) });
      }
    }
    if (quiet.length > 0) control.write(() => control.alerts.noteQuiet(quiet, nowMs));
    tellOfHeldBack(this.#parts, nowMs);
  }

  #forgetDeleted(all: readonly { readonly alert: AlertRow }[]): void {
    const ids = new Set(all.map(({ alert }) => alert.id));
    for (const id of this.#lastSeen.keys()) if (!ids.has(id)) this.#lastSeen.delete(id);
  }

  /** Returns whether it changed anything. */
  async #judgeOne(
    project: ProjectRow,
    alert: AlertRow,
    slot: string,
    nowMs: number,
  ): Promise<boolean> {
    const { control, store } = this.#parts;
    const seen = this.#seenBy(project, alert, nowMs);
    if (seen !== null && this.#lastSeen.get(alert.id) === seen) return false;
    const moment = { control, store, project, nowMs, runningSinceMs: this.#runningSinceMs };
    const judgement = await judge(moment, alert);
    if (this.#isQuiet(project, alert, judgement, nowMs)) {
      if (seen !== null) this.#lastSeen.set(alert.id, seen);
      return false;
    }
    control.write(() => {
      // Somebody may have changed or deleted it meanwhile.
      const now = control.alerts.byId(alert.id);
      if (now === undefined || now.slot !== alert.slot) return;
      this.#apply(project, now, judgement, { slot, nowMs });
    });
    return true;
  }

  /** A goal says the same as long as its project stores nothing: then nobody has to count. Null for other rules. */
  #seenBy(project: ProjectRow, { spec, state, counted }: AlertRow, nowMs: number): string | null {
    if (spec.kind !== "goal") return null;
    const version = this.#parts.store.versionOf([project.id]);
    return JSON.stringify([version, dateIn(project, nowMs), state, counted, spec]);
  }

  #isQuiet(project: ProjectRow, alert: AlertRow, judgement: Judgement, nowMs: number): boolean {
    const { would, numbers } = judgement;
    if (isEach(alert.spec)) return alert.counted === numbers.observed;
    if (would !== alert.state) return false;
    return would !== "firing" || !this.#mayTell(project, alert, false, nowMs);
  }

  #apply(
    project: ProjectRow,
    alert: AlertRow,
    { would, numbers }: Judgement,
    { slot, nowMs }: { readonly slot: string; readonly nowMs: number },
  ): void {
    const { control } = this.#parts;
    if (isEach(alert.spec)) {
      const { observed: counted = 0, count = 0 } = numbers;
      control.alerts.note(alert.id, {
        ...{ slot, counted, lastEvaluatedAtMs: nowMs },
        ...(count > 0 && { lastFiredAtMs: nowMs }),
      });
      if (count > 0) tellOfAlert(this.#parts, project, alert, { kind: "firing", numbers });
      return;
    }
    const { observed = numbers.minutes ?? 0, expected = 0 } = numbers;
    const isBeginning = would === "firing" && alert.state !== "firing";
    const isEnding = would !== "firing" && alert.state === "firing";
    const isTold = would === "firing" && this.#mayTell(project, alert, isBeginning, nowMs);
    control.alerts.note(alert.id, {
      ...{ slot, lastEvaluatedAtMs: nowMs },
      ...(would !== alert.state && { state: would, sinceMs: nowMs }),
      ...(isTold && { lastFiredAtMs: nowMs }),
    });
    if (isBeginning) control.alerts.beginEpisode(alert.id, nowMs, observed, expected);
    if (isEnding) control.alerts.endEpisode(alert.id, nowMs);
    if (isTold) tellOfAlert(this.#parts, project, alert, { kind: "firing", numbers });
    if (isEnding && alert.spec.kind === "silence") {
      tellOfAlert(this.#parts, project, alert, { kind: "resolved", numbers });
    }
  }

  /** Tells whether a message is due now, and not still the one of before. */
  #mayTell(project: ProjectRow, alert: AlertRow, isBeginning: boolean, nowMs: number): boolean {
    const { spec, lastFiredAtMs: last } = alert;
    if (last === null) return true;
    switch (spec.kind) {
      case "change":
        // Judged once a date, at an hour that may be another one after a change of the clocks.
        return nowMs - last >= changeAgainMs - 2 * hourMs;
      case "surge":
        return isBeginning && nowMs - last >= surgeAgainMs;
      case "goal":
        if (isEach(spec)) return true;
        return spec.per === "day" && dateIn(project, last) !== dateIn(project, nowMs);
      case "silence":
        return isBeginning;
    }
  }

  /** The date or the minutes that are to be judged now; null for nothing. */
  #slotOf(project: ProjectRow, { spec }: AlertRow, nowMs: number): string | null {
    switch (spec.kind) {
      case "change": {
        const hour = ((timeZoneOf(project.timezone).hourAt(nowMs) % 24) + 24) % 24;
        return hour >= spec.hour ? dateIn(project, nowMs) : null;
      }
      case "goal":
        return String(Math.floor(nowMs / minuteMs));
      default: {
        const isQuiet = nowMs - this.#runningSinceMs < quietMs;
        return isQuiet ? null : String(Math.floor(nowMs / windowEveryMs));
      }
    }
  }

  /** A clock that jumped says nothing about how long a site was silent. */
  #compareClocks(nowMs: number): void {
    const runningMs = this.#runningMs();
    const jumpedMs = nowMs - this.#seenAt.nowMs - (runningMs - this.#seenAt.runningMs);
    this.#seenAt = { nowMs, runningMs };
    if (Math.abs(jumpedMs) > jumpMs) this.#runningSinceMs = nowMs;
  }
}
