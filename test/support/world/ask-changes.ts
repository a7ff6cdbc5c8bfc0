import type { ChangeDimension } from "../../../src/domain/changes/change-counts";
import { changePeriods } from "../../../src/domain/changes/change-periods";
import { goalInScope } from "../../../src/domain/goal";
import { allTime } from "../../../src/domain/period";
import { changesRead } from "../../../src/features/changes/changes";
import { clock } from "../../../src/lib/clock";
import { date, dayMs } from "../../model/values";
import type { Answering } from "../engine/driven";
import { productGoal } from "../random/random-goals";
import type { Question } from "./questions";

/** What the store answers, without words. */
export async function changesNumbers(
  { days, changes, filters }: Extract<Question, { ask: "changes" }>,
  engine: Answering,
  projectId: string,
): Promise<unknown> {
  const { dimensions, goal, ...asked } = changes;
  const { zone } = days;
  const periods = changePeriods({
    since: date(days.from * dayMs),
    until: date(days.to * dayMs),
    nowMs: clock.nowMs(),
    zone: days.zone,
  });
  const { caveats: _, ...numbers } = await engine.read(changesRead, {
    ...{ projectId, ...asked, filters },
    goal: goal && goalInScope(productGoal(goal), { ...allTime, zone }),
    dimensions: dimensions as readonly ChangeDimension[],
    ...{ periods, days: periods.current },
  });
  return numbers;
}
