import { afterAll, beforeAll, expect, test } from "bun:test";
import { conform } from "../conformance/conformance";
import { historyMsMax, openDriven } from "./driven";
import { startClickHouse, type TestClickHouse } from "./server-process";

/** Each question is some statements, which take ClickHouse longer than our own engine takes for all. */
const eventsMax = 100;

let clickhouse: TestClickHouse;
beforeAll(async () => {
  clickhouse = await startClickHouse();
});
afterAll(() => clickhouse.close());

const open = () => openDriven(clickhouse.url);

// Chosen because together they have late events, links, what takes links back, purges and replacements.
test.each([1, 2, 13])(
  "every read on ClickHouse agrees with the model on the history of seed %d",
  async (seed) => {
    expect(await conform(seed, { eventsMax, open })).toBeGreaterThan(0);
  },
  historyMsMax,
);

test(
  "every read on ClickHouse agrees with the model in a zone whose clocks change",
  async () => {
    const date = Date.parse("2026-03-29T00:00:00Z") / 86_400_000;
    const setting = { date, zone: "Europe/Berlin", sizes: {} };
    expect(await conform(3, { eventsMax, setting, open })).toBeGreaterThan(0);
  },
  historyMsMax,
);
