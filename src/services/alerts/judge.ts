import { type AlertState, judgeChange, judgeSilence, judgeSurge } from "../../domain/alerts/rules";
import type { ChangeSpec, GoalSpec, SilenceSpec, SurgeSpec } from "../../domain/alerts/specs";
import type { AlertNumbers } from "../../domain/alerts/words";
import { dayOf, isoDate } from "../../domain/event";
import { filterItems } from "../../domain/filter-items";
import { datesOf, todayIn } from "../../domain/period";
import { dayMs, hourMs, minuteMs } from "../../lib/clock";
import { alertChangeRead, alertGoalRead, alertWindowsRead } from "../../reads/alerts";
import type { AlertRow } from "../../store/control/alert-tables";
import type { Control } from "../../store/control/control";
import type { ProjectRow } from "../../store/control/tables";
import type { EventStore } from "../../store/port";
import { ownRead } from "../own-read";

/** The result of a rule at a moment. `numbers` lets everybody check it. */
export interface Judgement {
  readonly would: AlertState;
  readonly numbers: AlertNumbers & Readonly<Record<string, unknown>>;
}

const weekMs = 7 * dayMs;
const weeks = [1, 2, 3, 4] as const;
const youngMs = 28 * dayMs;

interface Moment {
  readonly control: Control;
  readonly store: EventStore;
  readonly project: ProjectRow;
  readonly nowMs: number;
  /** The server runs since then without a jump of its clock; silence of before is not counted. */
  readonly runningSinceMs: number;
}

export function judge(moment: Moment, { spec }: Pick<AlertRow, "spec">): Promise<Judgement> {
  switch (spec.kind) {
    case "change":
      return changeAt(moment, spec);
    case "silence":
      return silenceAt(moment, spec);
    case "surge":
      return surgeAt(moment, spec);
    case "goal":
      return goalAt(moment, spec);
  }
}

async function changeAt(moment: Moment, spec: ChangeSpec): Promise<Judgement> {
  const { project, nowMs } = moment;
  const zone = project.timezone;
  const today = todayIn(zone, nowMs);
  const date = { ...today, from: today.from - 1, to: today.to - 1 };
  const counted = await ownRead(moment, alertChangeRead, {
    ...{ projectId: project.id, date, metric: spec.metric, event: spec.event ?? null },
    filters: filterItems(spec.filters),
  });
  const { would, ...numbers } = judgeChange(spec, counted);
  const { byDate, referenceFrom } = counted;
  const from = referenceFrom ?? date.from;
  const reference = { from: isoDate(from), to: isoDate(date.from - 1), dates: byDate.length };
  return { would, numbers: { ...numbers, date: isoDate(date.from), reference } };
}

async function silenceAt(moment: Moment, spec: SilenceSpec): Promise<Judgement> {
  const { project, nowMs, runningSinceMs } = moment;
  const lengthMs = spec.after_minutes * minuteMs;
  const windows = weeks.map((week) => {
    const toMs = nowMs - week * weekMs;
    return { fromMs: toMs - lengthMs, toMs };
  });
  const question = { projectId: project.id, windows, nowMs };
  const found = await ownRead(moment, alertWindowsRead, question);
  const { firstEventAtMs, lastEventAtMs } = found;
  const sinceMs = Math.max(lastEventAtMs ?? nowMs, runningSinceMs);
  const { would, ...numbers } = judgeSilence(spec, {
    minutes: Math.max(0, Math.floor((nowMs - sinceMs) / minuteMs)),
    before: found.windows.map(({ events }) => events),
    isYoung: firstEventAtMs === null || nowMs - firstEventAtMs < youngMs,
  });
  return { would, numbers };
}

async function surgeAt(moment: Moment, spec: SurgeSpec): Promise<Judgement> {
  const { project, nowMs } = moment;
  const windows = [0, ...weeks].map((week) => {
    const toMs = nowMs + 1 - week * weekMs;
    return { fromMs: toMs - hourMs, toMs };
  });
  const found = await ownRead(moment, alertWindowsRead, { projectId: project.id, windows, nowMs });
  const [users = 0, ...before] = found.windows.map((one) => one.users);
  const { would, ...numbers } = judgeSurge(spec, { users, before });
  return { would, numbers };
}

async function goalAt(moment: Moment, spec: GoalSpec): Promise<Judgement> {
  const { project, nowMs } = moment;
  const today = todayIn(project.timezone, nowMs);
  const { count } = await ownRead(moment, alertGoalRead, {
    ...{ projectId: project.id, event: spec.event, filters: filterItems(spec.filters) },
    date: spec.per === "day" ? today : null,
  });
  const would = count >= spec.count ? "firing" : "ok";
  return { would, numbers: { observed: count, expected: spec.count, date: datesOf(today).from } };
}

/** The date of a project at a moment, by which a goal of the day is reached once. */
export const dateIn = ({ timezone }: ProjectRow, timeMs: number): string =>
  timezone === "UTC" ? isoDate(dayOf(timeMs)) : datesOf(todayIn(timezone, timeMs)).from;
