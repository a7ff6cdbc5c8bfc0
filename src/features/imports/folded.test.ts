import { afterEach, beforeEach, expect, test } from "bun:test";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { committed, eventLines } from "../../../test/support/app/imports";
import { cases } from "../../../test/support/random/cases";
import { type Random, randomFrom, randomSeed } from "../../../test/support/random/random";
import { dayDimensions } from "../../domain/day-row";
import { dayMs, hourMs } from "../../lib/clock";
import { RetentionRun } from "../../services/retention";
import type { CountedDate } from "../../store/imports";

/*
 * The removal of an import takes all of its events, also those that retention has counted into days: the history is
 * then that of a project that never had the import.
 */

let app: TestApp;
beforeEach(async () => {
  app = await testApp();
});
afterEach(() => app.close());

const today = Math.floor(noonMs / dayMs);
const firstMs = (today - 20) * dayMs;

async function projectNamed(name: string): Promise<TestProject> {
  const project = await app.makeProject(name);
  await app.send("PATCH", `/projects/${name}`, { key: app.key, body: { timezone: "Asia/Tokyo" } });
  return project;
}
const remove = async (id: string) =>
  (await app.send("DELETE", `/imports/${id}`, { key: app.key })).json();
const forget = ({ id }: TestProject, day: number) =>
  new RetentionRun(app.deps, () => false).forget(id, day * dayMs);

/** The whole history, by all dimensions. */
async function historyOf(project: TestProject): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const dimension of dayDimensions) {
    const asked = `project=${project.id}&dimension=${dimension}&groupBy=day&limit=100`;
    const { project: _, imports: _of, ...rest } = await app.get(`/history?${asked}`);
    answers.push(rest);
  }
  return answers;
}

const people = ["ann", "bob", "cid", "anon-1", "anon-2"];
const rowOf = ({ pick, below, chance }: Random, origin: string, at: number) => ({
  ...{ event: pick(["page_view", "page_view", "buy"]), user_id: pick(people) },
  // Some sessions have events of several imports, and some go on past midnight.
  ...{ session_id: `${chance(0.8) ? origin : "all"}-${below(12)}`, event_id: `${origin}-${at}` },
  timestamp: firstMs + below(4 * 24) * hourMs + below(hourMs),
  properties: { path: pick(["/", "/a"]), device: pick(["mobile", "desktop"]) },
});

/** An export whose links say who of the people are the same. */
async function linksFile({ pick }: Random, name: string): Promise<string> {
  const { token } = await projectNamed(name);
  const [previous_id, user_id] = [pick(["anon-1", "anon-2"]), pick(["ann", "bob"])];
  await app.post("/identify", { token, previous_id, user_id });
  return (await app.open(`/export?project=${name}&kind=all`, { key: app.key })).text();
}

test("a removed import leaves the history of a project that never had it", async () => {
  const random = randomFrom(randomSeed());
  for (let round = 0; round < cases(2, 20); round++) {
    const [first, second, own] = ["a", "b", "c"].map((origin) =>
      Array.from({ length: 10 }, (_, at) => rowOf(random, origin, at)),
    );
    const isOfLinks = round % 2 === 1;
    const gone = isOfLinks ? await linksFile(random, `links${round}`) : eventLines(first ?? []);
    const [whole, never] = [
      await projectNamed(`whole${round}`),
      await projectNamed(`never${round}`),
    ];
    const rules = { overlap: "keep" };
    const ids: Record<string, string> = {};
    for (const project of [whole, never]) {
      await app.track(project, ...(own ?? []));
      if (project === whole) ids.gone = await committed(app, project, gone, rules);
      ids[project.name] = await committed(app, project, eventLines(second ?? []), rules);
      // A few of these dates have been counted, and their events are there.
      await forget(project, today - 20 + (round % 4 < 2 ? 6 : 3));
    }
    await remove(ids.gone ?? "");
    const alike = async (step: string) =>
      expect({ round, step, history: await historyOf(whole) }).toEqual({
        ...{ round, step },
        history: await historyOf(never),
      });
    await alike("after the removal of one");
    for (const project of [whole, never]) await remove(ids[project.name] ?? "");
    await alike("after that of the other one");
    for (const project of [whole, never]) await forget(project, today - 10);
    await alike("after all events are deleted");
  }
});

const eventOf = (origin: string, day: number) => ({
  ...{ event: "page_view", user_id: origin, session_id: origin },
  timestamp: day * dayMs + hourMs,
});
const totalsOf = async (project: TestProject) => {
  const { totals } = await app.get(`/history?project=${project.id}`);
  return totals;
};

test("a removal says how many dates went or changed, and which it cannot take out", async () => {
  const shop = await projectNamed("shop");
  const ids: string[] = [];
  for (const origin of ["a", "b", "c", "d", "e"]) {
    // Four of them share the first date, and all of them the fourth.
    const dates = origin === "e" ? [today - 17] : [today - 20, today - 17];
    const file = eventLines(dates.map((day) => eventOf(origin, day)));
    ids.push(await committed(app, shop, file, { overlap: "keep" }));
  }
  await forget(shop, today - 15);
  expect(await totalsOf(shop)).toMatchObject({ days: 2, visitor_days: 9 });
  const [first = "", second = "", , , last = ""] = ids;
  expect(await remove(first)).toMatchObject({ events: 0, days: 1, days_left: 1 });
  expect(await totalsOf(shop)).toMatchObject({ days: 2, visitor_days: 8 });
  expect(await remove(second)).toMatchObject({ days: 1, days_left: 1 });
  expect(await totalsOf(shop)).toMatchObject({ days: 2, visitor_days: 7 });
  expect(await remove(last)).toMatchObject({ days: 0, days_left: 1 });
});

test("a date whose last events go with an import is gone, and its version grows", async () => {
  const shop = await projectNamed("shop");
  const id = await committed(app, shop, eventLines([eventOf("a", today - 20)]));
  await forget(shop, today - 15);
  expect(await totalsOf(shop)).toMatchObject({ days: 1 });
  const before = app.deps.control.dataVersions.ofProject(shop.id).changes;
  const answer = await remove(id);
  expect(answer).toEqual({ ok: true, deleted: id, events: 0, days: 1 });
  expect(app.deps.control.dataVersions.ofProject(shop.id).changes).toBeGreaterThan(before);
  expect(await totalsOf(shop)).toMatchObject({ days: 0 });
});

test("an import that is removed while its date is counted leaves the date to the next run", async () => {
  const shop = await projectNamed("shop");
  await app.track(shop, eventOf("own", today - 20));
  const file = eventLines([eventOf("a", today - 20)]);
  const id = await committed(app, shop, file, { overlap: "keep" });
  const { store } = app.deps;
  const { imports } = store;
  const countWithout = async (date: CountedDate) => {
    await remove(id);
    return imports?.countWithout(date);
  };
  const removing = Object.create(store, {
    imports: { value: Object.create(imports, { countWithout: { value: countWithout } }) },
  });
  const deps = { ...app.deps, store: removing };
  expect(await new RetentionRun(deps, () => false).forget(shop.id, (today - 15) * dayMs)).toBe(
    false,
  );
  expect(await forget(shop, today - 15)).toBe(true);
  expect(await totalsOf(shop)).toMatchObject({ days: 1, visitor_days: 1 });
});
