import { afterEach, describe, expect, test } from "bun:test";
import {
  type Asked,
  daily,
  falling,
  inputOf,
  refused,
} from "../../../test/support/engine/changed-days";
import type { Engine } from "../../../test/support/engine/engine";
import { dayMs, noonMs, projectId, storeOf } from "../../../test/support/engine/examples";
import { changesRead } from "./changes";

let engine: Engine;
afterEach(() => engine.close());

const changes = (asked: Asked = {}) => engine.read(changesRead, inputOf(asked), asked.narrowedBy);

describe("what is known of the dates before", () => {
  test("28 of them are enough, 27 are not", async () => {
    engine = storeOf(daily(35, falling));
    expect(await changes()).toMatchObject({ verdict: "broad", reference: { dates: 28 } });
    engine.close();
    engine = storeOf(daily(34, falling));
    expect(await changes()).toMatchObject({
      ...{ verdict: "too_little_history", reference: { dates: 27 } },
      ...{ threshold: null, drivers: [], needs: { dates: 28, have: 27 } },
      // Both periods are whole: what they have is told, and how far apart they are.
      total: { delta: -70, change_pct: -50, z: -4.83, significant: null },
      dimensions: [{ dimension: "country", values: [{ value: null, significant: null }] }],
    });
    expect((await changes({ since: "8d", until: "2d" })).needs).toEqual({ dates: 28, have: 26 });
  });

  test("the period before must be kept whole", async () => {
    engine = storeOf(daily(70, falling));
    // 35 dates up to yesterday have 35 before them, which begin with the first event.
    expect(await changes({ since: "35d" })).toMatchObject({
      reference: { dates: 35 },
      needs: null,
    });
    expect(await changes({ since: "36d" })).toMatchObject({
      ...{ ...refused, reference: { dates: 34 }, needs: { dates: 42, have: 34 } },
      current: { value: 7 * 10 + 29 * 20 },
      previous: { from: "2025-10-28", value: 28 * 20 },
    });
  });

  test("a period before that is half stored makes nothing of what there is", async () => {
    // The project began four dates before the period of seven.
    engine = storeOf(daily(11, (days) => (days <= 7 ? 20 : 15), { country: "DE" }));
    const answer = await changes({ dimensions: ["country", "event"] });
    expect(answer).toMatchObject({
      ...{ ...refused, needs: { dates: 28, have: 4 } },
      current: { value: 140 },
      previous: { from: "2025-12-31", to: "2026-01-06", value: 60 },
    });
    const users = await changes({ metric: "users", dimensions: ["country"] });
    const conversion = await changes({ metric: "conversion", event: "page_view" });
    expect([users, conversion]).toMatchObject([refused, refused]);
  });

  test("what retention hides is no reference; a date that it cuts is none either", async () => {
    engine = storeOf(daily(70, falling));
    const startOfDay = noonMs - dayMs / 2;
    engine.forget(projectId, startOfDay - 40 * dayMs);
    expect(await changes()).toMatchObject({ reference: { from: "2025-12-05", dates: 33 } });
    engine.forget(projectId, startOfDay - 40 * dayMs + 1);
    expect(await changes()).toMatchObject({ reference: { from: "2025-12-06", dates: 32 } });
  });

  test("of a share with filters they are those that these leave", async () => {
    engine = storeOf([
      ...daily(70, () => 3, { country: "DE" }),
      ...daily(20, () => 3, { country: "US" }),
    ]);
    const isAmerican = { field: "country", op: "eq", value: "US" } as const;
    const answer = await changes({ narrowedBy: [isAmerican], event: "nothing" });
    expect(answer).toMatchObject({ reference: { from: "2025-12-25", dates: 13 } });
  });

  test("today counts where until says so, with a caveat", async () => {
    engine = storeOf(daily(70, () => 2));
    const usual = await changes();
    const open = await changes({ since: "6d", until: "0d" });
    expect(usual.current).toMatchObject({ to: "2026-01-13", value: 14 });
    expect(open.current).toMatchObject({ to: "2026-01-14", value: 14 });
    const caveat = "The last date is not complete";
    expect(usual.caveats.join()).not.toContain(caveat);
    expect(open.caveats.join()).toContain(caveat);
  });
});
