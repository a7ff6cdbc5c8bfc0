import { expect, test } from "bun:test";
import type { ChangeCounts, ChangeRequest } from "../../src/domain/changes/change-counts";
import type { PagesRequest, PathsRequest } from "../../src/domain/counting";
import type { ObjectEvent } from "../../src/domain/event";
import { within } from "../../src/domain/filter-items";
import { plainGoal } from "../../src/domain/goal";
import { type Days, windowOf } from "../../src/domain/period";
import { compareText } from "../../src/lib/text";
import { viewOf } from "../../src/reads/view";
import type { Read } from "../../src/store/port";
import { Engine, usualSizes } from "../support/engine/engine";
import { dayMs, lastDays, noonMs, projectId } from "../support/engine/examples";
import { filtersOf } from "../support/engine/filters";
import { inParts, storeInSegments } from "../support/engine/in-parts";
import { type Random, randomFrom, randomSeed } from "../support/random/random";

/** Pages, paths and what changed, which several threads count in parts of a window, against the same of one thread. */

const names = ["page_view", "page_view", "look", "read", "buy"];
const pages = ["/", "/a", "/b", "/docs/a?b", "/ä", "/\u{1f600}"];
const dates = 6;
const minuteMs = 60_000;

function randomEvent({ below, chance, pick }: Random): ObjectEvent {
  return {
    eventId: null,
    name: pick(names),
    timeMs: noonMs - below(dates * 24 * 60) * minuteMs,
    userId: chance(0.1) ? null : `user ${below(20)}`,
    // Most go on over midnights, and from part to part.
    sessionId: chance(0.9) ? `session ${below(90)}` : null,
    country: pick(["DE", "US", null]),
    properties: chance(0.1) ? {} : { path: pick(pages), plan: pick(["team", "free"]) },
  };
}

const filters = [
  [],
  [{ field: "properties.plan", op: "eq", value: "team" }],
  [{ field: "session.country", op: "neq", value: "US" }],
  [{ field: "event", op: "eq", value: "buy" }],
  [{ did: "buy" }],
];
const zones = ["America/New_York", "Asia/Kathmandu"];

interface Asked {
  readonly days: Days;
  readonly filters: object[];
  readonly pages: PagesRequest;
  readonly paths: PathsRequest;
  readonly changes: ChangeRequest;
}

function randomAsked(random: Random): Asked {
  const { below, chance, pick } = random;
  const days: Days = {
    ...{ from: lastDays.to - dates + 1 + below(2), to: lastDays.to - below(2) },
    ...(chance(0.5) && { zone: pick(zones) }),
  };
  return {
    days,
    changes: randomChanges(random, days),
    filters: [...pick(filters)],
    pages: { pages: pick([["entry_page"], ["entry_page", "exit_page"]]), limit: pick([1, 3, 100]) },
    paths: {
      ...{ goal: plainGoal(pick(["buy", "look"])), max_steps: 1 + below(5) },
      ...{ entry_limit: 1 + below(5), path_limit: 1 + below(5) },
      candidate_session_cap: chance(0.2) ? 1 + below(20) : null,
    },
  };
}

/** A half of the days is the current period, and what is before it the previous one. */
function randomChanges({ below, chance, pick }: Random, days: Days): ChangeRequest {
  const from = days.from + 1 + below(days.to - days.from);
  const goal = {
    event: pick(["buy", "look"]),
    filters: within(filtersOf(pick(filters.slice(0, 3))), windowOf(days)),
  };
  return {
    metric: "sessions",
    dimensions: [pick(["event", "page", "source"]), pick(["country", "properties.plan"])],
    current: { ...days, from },
    previous: { ...days, to: from - 1 },
    reference: chance(0.5) ? { ...days, to: from - 1 } : null,
    ...(chance(0.5) && { metric: "conversion", reference: null, goal }),
  };
}

/** Values are in no order. Counts by date are of one kind or the other, and of none where they do not matter. */
const comparable = ({ total, dimensions }: ChangeCounts): unknown => {
  const countsOf = ({ byDate, ...counts }: ChangeCounts["total"]) => ({
    ...counts,
    byDate: counts.reached === undefined ? Array.from(byDate) : null,
  });
  return [
    countsOf(total),
    dimensions.map(({ values, other }) => ({
      values: values.map(countsOf).sort((a, b) => compareText(a.value ?? "", b.value ?? "")),
      other,
    })),
  ];
};

const asked: Read<Asked, unknown> = {
  name: "of-sessions",
  scope: ({ days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  async run(snapshot, { days, filters, pages, paths, changes }) {
    const view = viewOf(projectId, days, filtersOf(filters));
    return [
      await snapshot.pageGroups(view, pages),
      await snapshot.paths(view, paths),
      comparable(await snapshot.changeCounts(view, changes)),
    ];
  },
};

const ways = [
  ["two", { ...inParts, helpers: 1 }],
  ["four", { ...inParts, helpers: 3 }],
  ["four, of few pages,", { ...inParts, helpers: 3, toldGroupsMax: 4 }],
  ["four, of few ways,", { ...inParts, helpers: 3, toldNodesMax: 30 }],
  ["four, with room for few values,", { ...inParts, helpers: 3, pairArrayLengthMax: 20 }],
  ["two, of which one is lost now and then,", { ...inParts, helpers: 1, asksPerDeath: 7 }],
] as const;

test.each(ways)("what %s threads count of sessions is what one does", async (_, sizes) => {
  const seed = randomSeed();
  const random = randomFrom(seed);
  const [parted, alone] = [new Engine(sizes), new Engine(usualSizes)];
  try {
    const events = Array.from({ length: 400 }, () => randomEvent(random));
    await storeInSegments([parted, alone], events);
    for (let question = 0; question < 25; question++) {
      const input = randomAsked(random);
      const expected = await alone.read(asked, input);
      expect([seed, input, await parted.read(asked, input)]).toEqual([seed, input, expected]);
    }
    expect(parted.partsAnswered).toBeGreaterThan(5);
  } finally {
    await parted.close();
    await alone.close();
  }
});

test("sessions of the days before do not count, and those that go on count once", async () => {
  const engine = new Engine({ ...inParts, helpers: 1 });
  const view = (session: string, path: string, timeMs: number): ObjectEvent => ({
    ...{ eventId: null, name: "page_view", timeMs, userId: null, sessionId: session },
    ...{ country: null, properties: { path } },
  });
  try {
    const events = [
      view("before", "/before", noonMs - 2 * dayMs),
      view("before", "/a", noonMs - dayMs),
      view("over midnight", "/a", noonMs - dayMs),
      view("over midnight", "/b", noonMs - minuteMs),
      view("today", "/b", noonMs - minuteMs),
    ];
    for (const event of events) {
      engine.append([{ kind: "events", projectId, receivedAtMs: noonMs, events: [event] }]);
    }
    const paths = { goal: plainGoal("buy"), max_steps: 5, entry_limit: 5, path_limit: 5 };
    const [[entries], entryPaths, changes] = (await engine.read(asked, {
      days: { from: lastDays.to - 1, to: lastDays.to },
      ...{ filters: [], pages: { pages: ["entry_page"], limit: 10 } },
      paths: { ...paths, candidate_session_cap: null },
      changes: {
        ...{ metric: "sessions", dimensions: ["page"], reference: null },
        current: { from: lastDays.to, to: lastDays.to },
        previous: { from: lastDays.to - 1, to: lastDays.to - 1 },
      },
    })) as [{ rows: unknown[]; groups_total: number }[], object[], unknown];
    const once = { sessions: 1, bounces: 1 };
    expect(entries).toEqual({
      rows: [
        { page: "/a", ...once, duration: dayMs - minuteMs, events: 2 },
        { page: "/b", ...once, duration: 0, events: 1 },
      ],
      groups_total: 2,
    });
    expect(entryPaths).toMatchObject([
      { entry_page: "/a", sessions: 1, exit_pages: [{ exit_page: "/b", sessions: 1 }] },
      { entry_page: "/b", sessions: 1, exit_pages: [{ exit_page: "/b", sessions: 1 }] },
    ]);
    expect(changes).toEqual([
      { value: null, current: 1, previous: 1, byDate: [] },
      [
        {
          values: [
            { value: "/a", current: 0, previous: 1, byDate: [] },
            { value: "/b", current: 1, previous: 0, byDate: [] },
          ],
          other: { values: 0, current: 0, previous: 0 },
        },
      ],
    ]);
    expect(engine.partsAnswered).toBeGreaterThan(0);
  } finally {
    await engine.close();
  }
});
