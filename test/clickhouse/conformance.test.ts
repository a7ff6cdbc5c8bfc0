import { afterAll, beforeAll, expect, test } from "bun:test";
import type { FilterItem } from "../../src/domain/filter-items";
import { allTime } from "../../src/domain/period";
import { queryRead } from "../../src/features/query/read";
import { propertiesRead } from "../../src/reads/properties";
import { conform } from "../conformance/conformance";
import { event, lastDays, noonMs, projectId } from "../support/engine/examples";
import { inputOf } from "../support/engine/query-input";
import { asksWhatUsersDid, historyMsMax, openDriven } from "./driven";
import { startClickHouse, type TestClickHouse } from "./server-process";

/** Each question is some statements, which take ClickHouse longer than our own engine takes for all. */
const eventsMax = 100;

let clickhouse: TestClickHouse;
beforeAll(async () => {
  clickhouse = await startClickHouse();
});
afterAll(() => clickhouse.close());

const open = () => openDriven(clickhouse.url);
test("the filters of a share that ask what users did are refused", async () => {
  const store = await open();
  const narrowedBy: FilterItem[] = [{ did: "pay", isNegated: false, filters: [], window: allTime }];
  const asked = store.read(propertiesRead, { projectId: "proj_1", days: lastDays }, narrowedBy);
  expect(await asked.catch(({ code }) => code)).toBe("FORBIDDEN");
  await store.close();
});

test("once_per tells values apart up to its limit, and refuses more", async () => {
  const store = await openDriven(clickhouse.url, { oncePerValuesMax: 3 });
  const send = (...orders: readonly (string | null)[]) => {
    const events = orders.map((order) => event({ properties: { order } }));
    return store.append([{ kind: "events", projectId, receivedAtMs: noonMs, events }]);
  };
  const ask = () =>
    store.read(queryRead, { ...inputOf({ count_mode: "raw" }), oncePer: "properties.order" }).then(
      ({ rows }) => rows,
      ({ code }) => code,
    );
  await send("a", "b", "c", "a", null);
  expect(await ask()).toEqual([{ event_count: 4 }]);
  await send("d");
  expect(await ask()).toBe("QUERY_FAILED");
  await store.close();
});

// Chosen because together they have late events, links, what takes links back, purges and replacements.
test.each([1, 2, 13])(
  "every read on ClickHouse agrees with the model on the history of seed %d",
  async (seed) => {
    expect(await conform(seed, { eventsMax, open, refuses: asksWhatUsersDid })).toBeGreaterThan(0);
  },
  historyMsMax,
);

test(
  "every read on ClickHouse agrees with the model in a zone whose clocks change",
  async () => {
    const date = Date.parse("2026-03-29T00:00:00Z") / 86_400_000;
    const setting = { date, zone: "Europe/Berlin", sizes: {} };
    expect(
      await conform(3, { eventsMax, setting, open, refuses: asksWhatUsersDid }),
    ).toBeGreaterThan(0);
  },
  historyMsMax,
);
