import { afterAll, beforeAll, expect, test } from "bun:test";
import { Engine } from "../../../../test/support/engine/engine";
import { lastDays, projectId } from "../../../../test/support/engine/examples";
import type { CountRequest } from "../../../domain/counting";
import { ApiError } from "../../../domain/errors";
import { selectionOf } from "../../../domain/metric";
import { allTime } from "../../../domain/period";
import { type QueryInput, requestOf } from "../../../features/query/question";
import type { Read } from "../../port";
import { Budget } from "../sets/budget";
import { GroupTable } from "../sets/group-table";
import { bestGroups, type CountedGroups } from "./ranking";

/** What POST /query asks of the store, with the bound that it has. */
const asked: Read<QueryInput, CountRequest> = {
  name: "asked",
  scope: () => ({ ...allTime, projectIds: [projectId] }),
  run: requestOf,
};
const groupsMax = 1_000_000;
const shown = 3;
const budget = new Budget(() => undefined);
let engine: Engine;
let request: CountRequest;
beforeAll(async () => {
  engine = new Engine();
  const selection = selectionOf({ group_by: ["session_id"], metrics: ["event_count"] });
  request = await engine.read(asked, { projectId, days: lastDays, selection, limit: shown });
});
afterAll(() => engine.close());

/** Makes this many groups, each of one event more than the one before. */
const groupsOf = (count: number): CountedGroups => ({
  members: () => Uint32Array.from({ length: count }, (_, at) => at),
  value: (group) => group + 1,
  label: (group) => group,
});

test("of a million groups the best are shown, and all are counted", () => {
  const { best, total } = bestGroups(groupsOf(groupsMax), request, budget);
  expect(total).toBe(groupsMax);
  expect(best).toEqual([groupsMax - 1, groupsMax - 2, groupsMax - 3]);
});

test("one more is refused, with what to do", () => {
  expect(refusal(() => bestGroups(groupsOf(groupsMax + 1), request, budget))).toEqual([
    "QUERY_FAILED",
    "There are more than 1,000,000 groups. Group by less, filter more, or ask for fewer days.",
  ]);
});

test("a table of groups takes a million of them, each again, and none beyond", () => {
  const table = new GroupTable(2, budget, request.groups_max);
  const numbers = new Uint32Array(2);
  const groupAt = (at: number): number => {
    numbers[0] = at % 1_000;
    numbers[1] = Math.floor(at / 1_000);
    return table.groupOf(numbers);
  };
  for (let at = 0; at < groupsMax; at++) if (groupAt(at) !== at) throw new Error(`group ${at}`);
  expect(table.size).toBe(groupsMax);
  expect(groupAt(groupsMax - 1)).toBe(groupsMax - 1);
  const [code] = refusal(() => groupAt(groupsMax));
  expect(code).toBe("QUERY_FAILED");
});

function refusal(ask: () => unknown): readonly string[] {
  try {
    ask();
  } catch (error) {
    return error instanceof ApiError ? [error.code, error.message] : [String(error)];
  }
  return [];
}
