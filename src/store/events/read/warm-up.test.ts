import { afterAll, beforeAll, expect, test } from "bun:test";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, Engine } from "../../../../test/support/engine/engine";
import { event, noonMs, store } from "../../../../test/support/engine/examples";
import { removeFolder, temporaryFolder } from "../../../../test/support/server/server";
import { textOf } from "../../../../test/support/suite/sources";
import { openForReading } from "../tables";
import { askAll, isWorthWarming } from "./warm-up";
import { PROPERTY_OF_MANY } from "./warm-up-segments";

let engine: Engine;
const folder = temporaryFolder();
beforeAll(() => {
  engine = new Engine();
});
afterAll(() => {
  engine.close();
  removeFolder(folder);
});

test("nothing is asked where nothing is stored", async () => {
  expect(await askAll(engine.file, "small")).toBe(0);
  expect(isWorthWarming(engine.file)).toBe(false);
});

test("a thread is warmed up from 8 MB on", () => {
  const file = join(folder, "events.db");
  const hasOf = (bytes: number): boolean => {
    writeFileSync(file, "");
    truncateSync(file, bytes);
    return isWorthWarming(file);
  };
  expect(hasOf(8 * 1024 ** 2 - 1)).toBe(false);
  expect(hasOf(8 * 1024 ** 2)).toBe(true);
});

test("every statement is one that the engine takes, over columns and over rows", async () => {
  const eventsOf = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      event({
        name: index % 9 === 0 ? "purchase" : "page_view",
        timeMs: noonMs + index,
        userId: `u${index % 40}`,
        sessionId: `s${index % 100}`,
        country: "DE",
        properties: { path: `/${index % 7}`, order_id: `order ${index}`, plan: "team" },
      }),
    );
  store(engine, eventsOf(3_000));
  at(noonMs, () => engine.compact());
  const overColumns = await askAll(engine.file, "small");
  expect(overColumns).toBeGreaterThan(20);
  store(engine, eventsOf(100));
  expect(await askAll(engine.file, "small")).toBe(2 * overColumns);
  expect(await askAll(engine.file, "all")).toBe(2 * overColumns);
});

test("values are counted of the property that has most, of which a few never run all code", () => {
  const db = openForReading(engine.file);
  const largest = db.prepare(PROPERTY_OF_MANY);
  const ids = db.query("select id from current_segment where encoding = 'columns'").values();
  expect(largest.all(JSON.stringify(ids.flat()))).toEqual([{ name: "property.order_id" }]);
  expect(largest.all("[]")).toEqual([]);
  db.close();
});

test("nothing is asked while a read is being answered, and the rest of it afterwards", async () => {
  let looks = 0;
  const isReading = (): boolean => ++looks % 5 > 2;
  const asked = await askAll(engine.file, "small");
  const restedFrom = looks;
  expect(await askAll(engine.file, "small", isReading, 10)).toBe(asked);
  expect(looks - restedFrom).toBeGreaterThan(2 * asked);

  let isBusy = true;
  const later = askAll(engine.file, "small", () => isBusy);
  const first = await Promise.race([later, Bun.sleep(200).then(() => "rests")]);
  expect(first).toBe("rests");
  isBusy = false;
  expect(await later).toBe(asked);
});

test("every vector function of the questions is compiled before it is asked", () => {
  const functionsOf = (path: string): string[] =>
    [...textOf(path).matchAll(/from "\.\.\/(functions\/[\w/-]+)"/g)].map(([, name = ""]) => name);
  const warmed = functionsOf("src/store/events/read/warm-up.ts");
  const asked = functionsOf("src/store/events/questions/questions.ts");
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter((name) => !warmed.includes(name))).toEqual([]);
});
