import { goalInScope } from "../../../src/domain/goal";
import { windowOf } from "../../../src/domain/period";
import { compareText } from "../../../src/lib/text";
import { viewOf } from "../../../src/reads/view";
import type { Read } from "../../../src/store/port";
import type { Answering } from "../engine/driven";
import { productGoal } from "../random/random-goals";
import type { Question } from "./questions";

/** What the function counts; rates and texts are made of it, and are tested by example. */
export function funnelNumbers(
  { days, filters, funnel }: Extract<Question, { ask: "funnel" }>,
  engine: Answering,
  projectId: string,
): Promise<unknown> {
  const { steps, countBy, windowMs, breakdown } = funnel;
  const numbers: Read<null, unknown> = {
    name: "funnel-numbers",
    scope: () => ({ projectIds: [projectId], ...windowOf(days) }),
    async run(snapshot) {
      const view = viewOf(projectId, days, filters);
      const bound = steps.map((step) => goalInScope(productGoal(step), view));
      const request = { steps: bound, window_ms: windowMs, count_by: countBy, breakdown };
      const { activity, overall, groups } = await snapshot.funnel(view, request);
      const sums = { users: overall.users, total_gap_ms: overall.total_gap_ms };
      return { activity, overall: sums, groups: sortedGroups(groups) };
    },
  };
  return engine.read(numbers, null);
}

type Group = { readonly value: string | null; readonly users: readonly number[] };
const sortedGroups = (groups: readonly Group[]): readonly Group[] =>
  groups.toSorted(
    (a, b) =>
      b.users[0] - a.users[0] ||
      Number(a.value === null) - Number(b.value === null) ||
      compareText(a.value ?? "", b.value ?? ""),
  );
