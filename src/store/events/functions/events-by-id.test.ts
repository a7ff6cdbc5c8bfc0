import { expect, spyOn, test } from "bun:test";
import {
  eventAt,
  expected,
  type Found,
  project,
  SegmentStore,
} from "../../../../test/support/engine/segment-store";
import { cases } from "../../../../test/support/random/cases";
import { type Random, randomFrom, randomSeed } from "../../../../test/support/random/random";
import type { ObjectEvent } from "../../../domain/event";
import { allTime } from "../../../domain/period";
import { dayMs, hourMs } from "../../../lib/clock";
import type { ExportedEvent } from "../../exports";
import { exportSourceOf } from "../export/source";
import { openSnapshots } from "../read/snapshot";
import { Budget } from "../sets/budget";
import { usualTuning } from "../tuning";

/** The events of an export, and how many came in each piece. */
async function exported(
  store: SegmentStore,
  window: typeof allTime,
  afterId: string | null,
  tuning = usualTuning,
) {
  const snapshots = openSnapshots(store.readDb.filename, 0, () => false, tuning);
  const found: ExportedEvent[] = [];
  const pieces: number[] = [];
  await snapshots.within(async (snapshot) => {
    const source = exportSourceOf(snapshot);
    for await (const piece of source.events({ projectId: project, ...window }, afterId)) {
      found.push(...piece);
      pieces.push(piece.length);
    }
  });
  snapshots.close();
  return { found, pieces };
}

const withoutId = ({ id: _, ...event }: ExportedEvent): Found => event;

function randomEvent(nowMs: number, { below, chance, pick }: Random): ObjectEvent {
  return eventAt(nowMs - (chance(0.3) ? below(25 * dayMs) : below(hourMs)), {
    name: pick(["page_view", "buy", "ü😀", 'quo"te']),
    userId: chance(0.7) ? pick(["ann", "bob", "eve"]) : null,
    sessionId: chance(0.7) ? `s${below(6)}` : null,
    country: pick(["DE", null]),
    properties: chance(0.2) ? null : { b: below(9), "1": pick(["x", "y"]), path: "/" },
  });
}

test("exports hold every event once in the order of storing, whatever was merged, late or hidden", async () => {
  const first = randomSeed();
  for (let round = 0; round < cases(6, 40); round++) {
    const store = new SegmentStore();
    try {
      await compareWithList(store, randomFrom(first + round));
    } finally {
      store.close();
    }
  }
});

async function compareWithList(store: SegmentStore, random: Random): Promise<void> {
  const { below, chance, pick, seed } = random;
  store.tune({
    columnEventsMin: pick([1, 40]),
    waitingRowsMax: pick([10, 100]) + 40,
    mergeFanIn: pick([2, 8]),
    mergeEventsMax: pick([60, 300]),
  });
  const list: ObjectEvent[] = [];
  const total = pick([5, 300]);
  while (list.length < total) {
    store.nowMs += below(3 * hourMs);
    const events = Array.from({ length: 1 + below(60) }, () => randomEvent(store.nowMs, random));
    store.store(...events);
    list.push(...events);
    if (chance(0.4)) store.compact();
  }
  const forgottenMs = chance(0.3) ? store.nowMs - below(20 * dayMs) : 0;
  if (forgottenMs > 0) store.writer.forget(project, forgottenMs);
  const window = chance(0.5)
    ? allTime
    : { fromMs: store.nowMs - 10 * dayMs, toMs: store.nowMs - dayMs };
  const wanted = list
    .filter(({ timeMs }) => timeMs >= Math.max(forgottenMs, window.fromMs) && timeMs < window.toMs)
    .map(expected);

  const { found } = await exported(store, window, null);
  expect([seed, found.map(withoutId)]).toEqual([seed, wanted]);
  const ids = found.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort());
  if (ids.length === 0) return;
  const at = below(ids.length);
  const { found: rest } = await exported(store, window, ids[at]);
  expect([seed, rest.map(({ id }) => id)]).toEqual([seed, ids.slice(at + 1)]);
}

test("pieces are bounded, and columns are loaded again between them", async () => {
  const store = new SegmentStore();
  try {
    const event = (index: number) =>
      eventAt(store.nowMs - (index % 3) * 20 * dayMs, { properties: { index } });
    store.store(...Array.from({ length: 5_000 }, (_, index) => event(index)));
    store.compact();
    const { found, pieces } = await exported(store, allTime, null);
    expect(pieces).toEqual([2_048, 2_048, 904]);
    const indices = found.map(({ properties }) => JSON.parse(properties ?? "").index);
    expect(indices).toEqual(Array.from({ length: 5_000 }, (_, index) => index));
  } finally {
    store.close();
  }
});

test("what was handed over is collected while an export goes on, whose memory stays bounded", async () => {
  const store = new SegmentStore();
  const collections = spyOn(Budget.prototype, "collect");
  try {
    const properties = { text: "x".repeat(500) };
    store.store(...Array.from({ length: 10_000 }, () => eventAt(store.nowMs, { properties })));
    const tuning = { ...usualTuning, garbageBytesMax: 3_000_000 };
    const { pieces } = await exported(store, allTime, null, tuning);
    expect([pieces.length, collections.mock.calls.length]).toEqual([5, 2]);
  } finally {
    collections.mockRestore();
    store.close();
  }
});
