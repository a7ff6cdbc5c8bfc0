import { expect, test } from "bun:test";
import {
  dayMs,
  event,
  lastDays,
  noonMs,
  projectId,
  storeOfDays,
} from "../../test/support/engine/examples";
import type { Read } from "../store/port";
import { warningsOf } from "./warnings";

const warned: Read<{ fromMs: number; toMs: number; names: string[] }, object> = {
  name: "warned",
  scope: () => ({ projectIds: [projectId], fromMs: 0, toMs: noonMs }),
  run: (snapshot, { names, ...within }) =>
    warningsOf(snapshot, { projectId }, { days: lastDays, within }, names),
};

test("a name is warned of that no event of the dates has, whichever segments have them", async () => {
  const engine = storeOfDays(3, (timeMs) =>
    Array.from({ length: 600 }, (_, index) =>
      event({
        name: index === 0 ? `of_day_${(noonMs - timeMs) / dayMs}` : "click",
        timeMs: timeMs + index,
      }),
    ),
  );
  const unseen = async (fromMs: number, toMs: number, ...names: string[]) =>
    Object.values(await engine.read(warned, { fromMs, toMs, names }))
      .flat()
      .map((warning) => (warning as { event: string }).event);

  const all = ["click", "of_day_0", "of_day_1", "of_day_2", "of_no_day", "click"];
  const fromMs = noonMs - 2 * dayMs;
  expect(await unseen(fromMs, noonMs + dayMs, ...all)).toEqual(["of_no_day"]);
  // A moment later the first event of the first day is outside, whose segment is inside.
  expect(await unseen(fromMs + 1, noonMs + dayMs, ...all)).toEqual(["of_day_2", "of_no_day"]);
  expect(await unseen(fromMs + 1, noonMs - dayMs, "click")).toEqual([]);
  expect(await unseen(0, fromMs, "click", "of_day_2")).toEqual(["click", "of_day_2"]);
  engine.close();
});
