import { expect, test } from "bun:test";
import { Engine } from "../../../../test/support/engine/engine";
import { entryOf, numbered, projectId } from "../../../../test/support/engine/event-store";
import { dayMs, usualToday } from "../../../../test/support/world/cast";
import type { FunnelRequest } from "../../../domain/counting";
import { requestTo } from "../parts/helpers";
import type { OpenSnapshot } from "../questions/open-snapshot";
import { Helping } from "./helping";
import { openSnapshots } from "./snapshot";

const view = { projectId, fromMs: usualToday * dayMs, toMs: (usualToday + 1) * dayMs };
const steps: FunnelRequest = {
  steps: ["look", "buy"].map((event) => ({ event, filters: [] })),
  ...{ window_ms: dayMs, count_by: "user_id", breakdown: null },
};

/** What a helper holds after it was asked for parts of a read. */
async function heldAfter(
  asks: (helping: Helping, snapshot: OpenSnapshot) => Promise<void>,
): Promise<{ readonly walk: unknown; readonly bytes: number }> {
  const engine = new Engine();
  const events = ["look", "buy"].map((name, number) => ({
    ...{ ...numbered(number), name, timeMs: view.fromMs + number },
  }));
  engine.append([entryOf(events)]);
  const snapshots = openSnapshots(engine.file, 1 << 20, () => false);
  const asked = Promise.withResolvers<OpenSnapshot>();
  const helping = new Helping({
    within: (work) =>
      snapshots.within((snapshot) => {
        asked.resolve(snapshot);
        return work(snapshot);
      }),
  });
  const reader = openSnapshots(engine.file, 1 << 20, () => false);
  try {
    await reader.within((snapshot) => asks(helping, snapshot));
    const { walk, context } = await asked.promise;
    return { walk, bytes: context.budget.bytes };
  } finally {
    await helping.over();
    reader.close();
    snapshots.close();
    engine.close();
  }
}

const ask = async (helping: Helping, snapshot: OpenSnapshot, step: number): Promise<void> => {
  const segments = snapshot.segmentsWithin(view);
  const numbers = snapshot.context.tables.numbers(segments);
  const ids = segments.map(({ id }) => id);
  const told =
    step === 0
      ? { sessions: { segments: ids, numbers, several: null }, used: null }
      : { sessions: null, used: new Float64Array(1_000) };
  const request = requestTo(snapshot, projectId, "funnelStep", [view, steps, step, told]);
  expect(await helping.answer({ turn: 1, request })).not.toBeNull();
};

test("what a funnel has looked at is kept between its steps, and no longer", async () => {
  const first = await heldAfter((helping, snapshot) => ask(helping, snapshot, 0));
  expect(first.walk).not.toBeNull();
  expect(first.bytes).toBeGreaterThan(0);
  const none = { walk: null, bytes: 0 };
  const last = async (helping: Helping, snapshot: OpenSnapshot) => {
    await ask(helping, snapshot, 0);
    await ask(helping, snapshot, 1);
  };
  expect(await heldAfter(last)).toEqual(none);
  const givenUp = async (helping: Helping, snapshot: OpenSnapshot) => {
    await ask(helping, snapshot, 0);
    await helping.over();
  };
  expect(await heldAfter(givenUp)).toEqual(none);
  const another = async (helping: Helping, snapshot: OpenSnapshot) => {
    await ask(helping, snapshot, 0);
    const request = requestTo(snapshot, projectId, "totals", [view]);
    await helping.answer({ turn: 1, request });
  };
  expect(await heldAfter(another)).toEqual(none);
});
