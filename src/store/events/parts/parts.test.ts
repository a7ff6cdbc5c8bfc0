import { expect, test } from "bun:test";
import { Engine } from "../../../../test/support/engine/engine";
import { entryOf, numbered, projectId } from "../../../../test/support/engine/event-store";
import { dayMs, usualToday } from "../../../../test/support/world/cast";
import type { ChangeRequest } from "../../../domain/changes/change-counts";
import type { CountRequest, FunnelRequest, PathsRequest } from "../../../domain/counting";
import { plainGoal } from "../../../domain/goal";
import { joinedChanges } from "../functions/change-parts";
import type { OpenSnapshot } from "../questions/open-snapshot";
import { openSnapshots } from "../read/snapshot";
import { usualTuning } from "../tuning";
import { type Parts, partsOf } from "./parts";
import { windowsOf } from "./windows";

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

const today = { from: usualToday, to: usualToday };
const changesByPage: ChangeRequest = {
  ...{ metric: "sessions", dimensions: ["page"], reference: null },
  ...{ current: today, previous: { from: usualToday - 1, to: usualToday - 1 } },
};
const steps: FunnelRequest = {
  steps: [
    { event: "page_view", filters: [] },
    { event: "page_view", filters: [] },
  ],
  ...{ window_ms: dayMs, count_by: "user_id", breakdown: "properties.path" },
};

test("a part of a funnel has the segments of the read, and goes on from its first step", async () => {
  const engine = new Engine();
  engine.append([entryOf([{ ...numbered(1), name: "page_view", timeMs: view.fromMs }])]);
  const snapshots = openSnapshots(engine.file, 1 << 20, () => false);
  await snapshots.within(async (snapshot) => {
    const { funnelStep } = partsOf(snapshot);
    const told = toldOf(snapshot);
    const others = { ...told, sessions: { ...told.sessions, segments: [1_000] } };
    const next = { sessions: null, used: new Float64Array(1_000) };
    expect(funnelStep(view, steps, 1, next)).toBeNull();
    expect(funnelStep(view, steps, 0, others)).toBeNull();
    expect(funnelStep(view, steps, 0, told)).toMatchObject({ eventCount: 1 });
    expect(funnelStep(view, steps, 1, next)).toMatchObject({ eventCount: 1 });
  });
  snapshots.close();
  engine.close();
});

const toldOf = (snapshot: OpenSnapshot) => {
  const segments = snapshot.segmentsWithin(view);
  const sessions = snapshot.context.tables.numbers(segments);
  const ids = segments.map(({ id }) => id);
  return { sessions: { segments: ids, numbers: sessions, several: null }, used: null };
};
const valuesOf = (found: ReturnType<Parts["funnelStep"]>) =>
  found === null || found === "too many groups" ? null : found.groups?.values.toSorted();

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
          valuesOf(parts.funnelStep(view, steps, 0, toldOf(snapshot))),
          parts.pages(view, { pages: ["entry_page"], limit: 1 }, view.toMs)?.[0].pages.toSorted() ??
            null,
          parts.changes(view, changesByPage, view.toMs)?.at(-1)?.values.toSorted() ?? null,
          parts.entryPages(view, view.toMs)?.pages.toSorted() ?? null,
        ];
      });
    } finally {
      snapshots.close();
    }
  };
  expect(await told(paths.length)).toEqual(Array(6).fill(paths));
  expect(await told(paths.length - 1)).toEqual(Array(6).fill(null));
  engine.close();
});

test("as many nodes of paths are told as the bound allows, and of one more none", async () => {
  const engine = new Engine();
  const events = paths.map((path, number) => ({
    ...{ ...numbered(number), name: "page_view", timeMs: view.fromMs + number },
    ...{ sessionId: `session ${number}`, properties: { path } },
  }));
  engine.append([entryOf(events)]);
  const walked: PathsRequest = {
    ...{ goal: plainGoal("purchase"), max_steps: 3, entry_limit: 3, path_limit: 3 },
    candidate_session_cap: null,
  };
  const told = async (toldNodesMax: number) => {
    const tuning = { ...usualTuning, toldNodesMax };
    const snapshots = openSnapshots(engine.file, 1 << 20, () => false, tuning);
    try {
      return await snapshots.within(
        async (snapshot) => partsOf(snapshot).ways(view, walked, view.toMs, paths)?.tree.count,
      );
    } finally {
      snapshots.close();
    }
  };
  // Above all the root, then of each session its entry page, its exit page and its end.
  const nodes = 1 + 3 * paths.length;
  expect(await told(nodes)).toBe(nodes);
  expect(await told(nodes - 1)).toBeUndefined();
  engine.close();
});

test("what changed takes as much memory for several dimensions as for one", async () => {
  const engine = new Engine();
  const events = Array.from({ length: 200 }, (_, number) => ({
    ...{ ...numbered(number), name: "page_view", timeMs: view.fromMs + number },
    ...{ sessionId: `session ${number}`, properties: { path: `/${number}` } },
  }));
  engine.append([entryOf(events)]);
  const takenFor = async (dimensions: ChangeRequest["dimensions"]): Promise<number[]> => {
    const snapshots = openSnapshots(engine.file, 1 << 20, () => false);
    try {
      return await snapshots.within(async (snapshot) => {
        const { budget } = snapshot.context;
        const request = { ...changesByPage, dimensions };
        const told = partsOf(snapshot).changes(view, request, view.toMs)!;
        const byPart = budget.bytes;
        joinedChanges(snapshot.context, [told, told], request);
        return [byPart, budget.bytes - byPart];
      });
    } finally {
      snapshots.close();
    }
  };
  const ofOne = await takenFor(["page"]);
  expect(await takenFor(["page", "event", "country", "page"])).toEqual(ofOne);
  expect(ofOne[1]).toBe(0);
  engine.close();
});

test("no part is without events, however long before them the window begins", async () => {
  const engine = new Engine();
  const wide = { ...view, fromMs: view.fromMs - 9 * dayMs, toMs: view.toMs + 9 * dayMs };
  const daysOfParts = async () => {
    const snapshots = openSnapshots(engine.file, 1 << 20, () => false);
    try {
      return await snapshots.within(
        async (snapshot) =>
          windowsOf(snapshot, wide, 2, "day", 0)?.map(({ firstDay }) => firstDay - usualToday) ??
          null,
      );
    } finally {
      snapshots.close();
    }
  };
  const append = (number: number, timeMs: number) =>
    engine.append([entryOf([{ ...numbered(number), timeMs }])]);
  expect(await daysOfParts()).toBeNull();
  for (let number = 0; number < 3; number++) append(number, view.fromMs + number);
  expect(await daysOfParts()).toBeNull();
  append(3, view.fromMs + dayMs);
  expect(await daysOfParts()).toEqual([-9, 1]);
  engine.close();
});
