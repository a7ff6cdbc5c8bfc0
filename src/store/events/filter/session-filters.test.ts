import { expect, test } from "bun:test";
import type { Engine } from "../../../../test/support/engine/engine";
import {
  event,
  lastDays,
  noonMs,
  projectId,
  storeOf,
  storeOfColumns,
} from "../../../../test/support/engine/examples";
import { filtersOf } from "../../../../test/support/engine/filters";
import { selectionOf } from "../../../domain/metric";
import { queryRead } from "../../../features/query/read";
import { openSnapshots } from "../read/snapshot";

/** Filters on fields of sessions, and counts of whole visits, which are kept from one question to the next. */

const asking = (filters: object[], asked: object = {}) => ({
  ...{ projectId, days: lastDays, filters: filtersOf(filters), limit: 100 },
  selection: selectionOf({
    metrics: ["event_count", "unique_users"],
    count_mode: "raw",
    ...asked,
  }),
});
async function countOf(engine: Engine, ...filters: object[]): Promise<unknown> {
  const { rows } = await engine.read(queryRead, asking(filters));
  return rows[0] === undefined ? 0 : rows[0].event_count;
}

test("filters on one field, with other operators, values and fields, pass what each of them says", async () => {
  const countries = ["DE", "FR", "IT"];
  const engine = storeOfColumns((index) =>
    event({
      timeMs: noonMs + index,
      userId: `u${index % 90}`,
      sessionId: `s${index % 300}`,
      country: countries[index % 3],
      properties: { browser: countries[(index + 1) % 3], path: `/${index % 2}` },
    }),
  );
  const country = (op: string, value: unknown) => ({ field: "session.country", op, value });
  const browser = (op: string, value: unknown) => ({ field: "session.browser", op, value });
  // Twice, as what the first ones found is kept then.
  for (let round = 0; round < 2; round++) {
    expect(await countOf(engine, country("eq", "DE"))).toBe(1_000);
    expect(await countOf(engine, country("neq", "DE"))).toBe(2_000);
    expect(await countOf(engine, country("eq", "FR"))).toBe(1_000);
    expect(await countOf(engine, country("in", ["DE", "FR"]))).toBe(2_000);
    expect(await countOf(engine, browser("eq", "DE"), country("eq", "DE"))).toBe(0);
    expect(await countOf(engine, browser("eq", "DE"), country("eq", "IT"))).toBe(1_000);
  }
  engine.close();
});

test("a session's source is judged with the own hosts of the read", async () => {
  const engine = storeOfColumns((index) =>
    event({
      timeMs: noonMs + index,
      sessionId: `s${index % 300}`,
      properties: { path: "/", referrer: "https://shop.example/basket" },
    }),
  );
  const snapshots = openSnapshots(engine.file, 1 << 26, () => false);
  const direct = asking([{ field: "session.source", op: "eq", value: "Direct" }]);
  const countWith = async (ownHosts: string[]): Promise<unknown> =>
    JSON.parse(await snapshots.run(queryRead, direct, { ownHosts })).rows[0]?.event_count ?? 0;
  for (let round = 0; round < 2; round++) {
    expect(await countWith([])).toBe(0);
    expect(await countWith(["shop.example"])).toBe(3_000);
  }
  snapshots.close();
  engine.close();
});

test("more sessions are judged than are looked at together", async () => {
  const sessions = 20_000;
  const engine = storeOf(
    Array.from({ length: sessions }, (_, index) =>
      event({ timeMs: noonMs + index, sessionId: `s${index}`, country: index < 100 ? "DE" : "FR" }),
    ),
  );
  const country = (value: string) => ({ field: "session.country", op: "eq", value });
  expect(await countOf(engine, country("DE"))).toBe(100);
  expect(await countOf(engine, country("FR"))).toBe(sessions - 100);
  engine.close();
});

test("visits that pass whole count with their users, and those of nobody with their events", async () => {
  const engine = storeOfColumns((index) =>
    event({
      timeMs: noonMs + index,
      // Every third event is of nobody and in no session.
      userId: index % 3 === 0 ? null : `u${index % 30}`,
      sessionId: index % 3 === 0 ? null : `s${index % 60}`,
      country: index % 3 === 2 ? "FR" : "DE",
    }),
  );
  const country = { field: "country", op: "eq", value: "DE" };
  const row = async (asked: object) => {
    const { rows } = await engine.read(queryRead, asking([country], asked));
    return rows[0];
  };
  expect(await row({})).toEqual({ event_count: 2_000, unique_users: 10 });
  // A session counts once, and each event of nobody.
  expect(await row({ count_mode: "session_then_user" })).toEqual({
    event_count: 20 + 1_000,
    unique_users: 10,
  });
  engine.close();
});
