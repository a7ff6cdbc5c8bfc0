import { expect, test } from "bun:test";
import { dayMs, usualToday } from "../../../../test/support/cast";
import { Engine } from "../../../../test/support/engine";
import { entryOf, numbered, projectId } from "../../../../test/support/event-store";
import type { CountRequest } from "../../../domain/counting";
import { openSnapshots } from "../read/snapshot";
import { usualTuning } from "../tuning";
import { partsOf } from "./parts";

const view = { projectId, fromMs: usualToday * dayMs, toMs: (usualToday + 1) * dayMs };
const paths = ["/", "/docs", "/pricing"];
const byPath: CountRequest = {
  group_by: ["properties.path"],
  metrics: ["event_count"],
};
const sessionsByPage: CountRequest = {
  group_by: ["session.entry_page"],
  metrics: ["session_count"],
};

test("as many groups of a part are told as the bound allows, and of one more none", async () => {
  const engine = new Engine();
  const events = paths.map((path, number) => ({
    ...numbered(number),
    name: "page_view",
    timeMs: view.fromMs + number,
    sessionId: `session ${number}`,
    properties: { path },
  }));
  engine.append([entryOf(events)]);
  const told = async (toldGroupsMax: number) => {
    const tuning = { ...usualTuning, toldGroupsMax };
    const snapshots = openSnapshots(engine.file, 1 << 20, () => false, tuning);
    try {
      return await snapshots.within(async (snapshot) => {
        const parts = partsOf(snapshot);
        return [
          parts.eventsOfGroups(view, byPath)?.labels.flat().sort() ?? null,
          parts.sessionsOfGroups(view, sessionsByPage, view.fromMs)?.labels.toSorted() ?? null,
        ];
      });
    } finally {
      snapshots.close();
    }
  };
  expect(await told(paths.length)).toEqual([paths, paths]);
  expect(await told(paths.length - 1)).toEqual([null, null]);
  engine.close();
});
