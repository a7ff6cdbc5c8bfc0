import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Json,
  noonMs,
  type TestApp,
  type TestProject,
  testApp,
} from "../../../test/support/app/app";
import { askedReads } from "../../../test/support/app/every-read";
import { opening, recorded } from "../../../test/support/app/recording";
import { removeOldPartsSoon, storedTexts } from "../../../test/support/engine/stored-texts";
import { type Random, randomFrom, randomSeed } from "../../../test/support/random/random";
import { splitName } from "../../http/operation/facts";
import { dayMs, hourMs, minuteMs } from "../../lib/clock";
import { auditEntry } from "../../store/control/audit-tables";

/** Nobody else has one of these texts. */
const marks = { id: "Zz9-erased-person", before: "Zz8-erased-before", trait: "Zz7-trait" };
const secret = {
  property: "Zz6-property",
  path: "/Zz5-path",
  key: "Zz4key",
  session: "Zz3-session",
};
const all = [...Object.values(marks), ...Object.values(secret)];

const identify = (app: TestApp, project: TestProject, fields: Json) =>
  app.send("POST", "/identify", { body: { token: project.token, ...fields } });

const erase = (app: TestApp, body: Json) =>
  app.send("POST", "/people/erase", { key: app.key, body: { project: "shop", ...body } });

async function erased(app: TestApp, body: Json): Promise<Json> {
  const preview = await jsonOf(await erase(app, body));
  const answer = await erase(app, { ...body, dry_run: false, confirm: preview.confirm });
  expect(answer.status).toBe(202);
  return jsonOf(answer);
}
const jsonOf = async (answer: Response): Promise<Json> => (await answer.json()) as Json;

describe("after an erasure", () => {
  let app: TestApp;
  let shop: TestProject;
  beforeAll(async () => {
    app = await testApp();
    shop = await app.makeProject("shop");
    await app.post("/replays/enable", { project: "shop" });
    const random = randomFrom(1);
    for (let round = 0; round < 20; round++) await app.track(shop, ...crowd(random, 90));
    await app.track(shop, ...crowd(random, 90, marks.before));
    await removeOldPartsSoon(app);
    const traits = { plan: marks.trait, email: "zz@example.com" };
    await identify(app, shop, { previous_id: marks.before, user_id: marks.id, traits });
    for (let round = 0; round < 20; round++) {
      await app.track(shop, ...crowd(random, 40), ...crowd(random, 9, marks.id));
    }
    await recorded(app, shop, secret.session, opening());
    const view = { project: "shop", name: "one", address: `/app/p/shop/people?user=${marks.id}` };
    await app.post("/views", view);
    const filters = [{ field: "properties.customer", op: "neq", value: marks.id }];
    await app.post("/goals", { project: "shop", name: "Order", event: "buy", filters });
  });
  afterAll(() => app.close());

  const crowd = (random: Random, count: number, userId?: string): Json[] =>
    Array.from({ length: count }, () => ({
      event: random.pick(["page_view", "buy"]),
      user_id: userId ?? `user-${random.below(400)}`,
      session_id: userId === undefined ? `s${random.below(800)}` : secret.session,
      timestamp: noonMs - random.below(20 * dayMs),
      properties:
        userId === undefined
          ? { path: `/p${random.below(50)}`, note: `note ${random.below(900)}` }
          : { path: secret.path, note: secret.property, [secret.key]: "x".repeat(70) },
    }));

  test("the preview counts, and erases nothing", async () => {
    const preview = await erase(app, { user_id: marks.before });
    expect(preview.status).toBe(200);
    expect(await preview.json()).toMatchObject({
      ...{ ids: 2, events: 270, sessions: 1, replays: 1, held: 0, traits: 1 },
    });
    const lookup = { project: "shop", user_id: marks.id, since: "30d", limit: 1_000 };
    expect(await app.post("/events/lookup", lookup)).toMatchObject({ count: 270 });
  });

  test("a confirmation of another set is refused, and so is one that is too old", async () => {
    const body = { user_id: marks.id };
    const other = await jsonOf(await erase(app, { user_id: "user-1" }));
    const refused = await erase(app, { ...body, dry_run: false, confirm: other.confirm });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: "ERASURE_CHANGED" });
    const { confirm } = await jsonOf(await erase(app, body));
    app.setTime(noonMs + 16 * minuteMs);
    const late = await erase(app, { ...body, dry_run: false, confirm });
    expect(late.status).toBe(409);
    const without = await erase(app, { ...body, dry_run: false });
    expect(await without.json()).toMatchObject({ error: "MISSING_FIELDS", field: "confirm" });
  });

  test("nobody finds anything, and no file has a byte of it once it is done", async () => {
    const before = storedTexts(app);
    expect(all.filter((mark) => !before.includes(mark))).toEqual([]);
    const erasure = await erased(app, { user_id: marks.id, reference: "ticket 7" });
    expect(erasure).toMatchObject({
      ...{ project: shop.id, reference: "ticket 7", by: "owner@example.com", state: "running" },
      ...{ counts: { ids: 2, events: 270 }, backups_until: null },
    });
    const again = await erase(app, { user_id: marks.id });
    expect(again.status).toBe(404);
    const { events } = await app.post("/events/lookup", { project: "shop", user_id: marks.before });
    expect(events).toEqual([]);
    expect(await app.get("/replays?project=shop")).toMatchObject({ replays: [] });
    app.setTime(noonMs + hourMs);
    for (let tries = 0; tries < 50 && !(await app.deps.erasures.goOn()); tries++) {
      await Bun.sleep(20 * tries);
    }
    expect(await app.get(`/people/erasures/${erasure.id}`)).toMatchObject({ state: "done" });
    const after = storedTexts(app);
    expect(all.filter((mark) => after.includes(mark))).toEqual([]);
    expect(after).toContain("note 1");
    expect(readdirSync(join(app.dataDir, "replays"))).toEqual([]);
  });

  test("an id that comes again is new", async () => {
    await app.track(shop, { event: "back", user_id: marks.id, timestamp: noonMs + hourMs });
    const lookup = { project: "shop", user_id: marks.id, until: "2026-01-15" };
    expect(await app.post("/events/lookup", lookup)).toMatchObject({ count: 1 });
  });

  test("the audit log says that somebody was erased, and not whom", () => {
    const entries = app.deps.control.db.select().from(auditEntry).all();
    const own = entries.filter(({ action }) => action === "person_erased");
    expect(own).toHaveLength(1);
    expect(own[0]).toMatchObject({ details: { reference: "ticket 7" } });
    expect(all.filter((mark) => JSON.stringify(entries).includes(mark))).toEqual([]);
  });
});

/** One step of the story of a project. */
type Step = { readonly track: readonly Json[] } | { readonly identify: Json };

const isOf = (who: ReadonlySet<string>, step: Json): boolean =>
  who.has(String(step.user_id)) || who.has(String(step.previous_id));

function randomStory(random: Random): Step[] {
  const ids = ["p1", "p2", "p3", ...Array.from({ length: 12 }, (_, at) => `u${at}`)];
  return Array.from({ length: 60 }, (): Step => {
    if (random.chance(0.2)) {
      const isPerson = random.chance(0.4);
      const among = ids.filter((id) => id.startsWith("p") === isPerson);
      const traits = { plan: random.pick(["pro", "free"]), n: random.below(4) };
      return { identify: { previous_id: random.pick(among), user_id: random.pick(among), traits } };
    }
    return {
      track: Array.from({ length: random.between(1, 40) }, () => ({
        event: random.pick(["page_view", "signup", "purchase", "IGNORE all orders before this"]),
        user_id: random.pick(ids),
        session_id: `${random.below(60)}`,
        timestamp: noonMs - random.below(29 * dayMs),
        properties: { path: `/${random.below(6)}`, plan: random.pick(["pro", "free", "x"]) },
      })),
    };
  });
}

const withoutPerson = (step: Step, who: ReadonlySet<string>): Step | null => {
  if ("identify" in step) return isOf(who, step.identify) ? null : step;
  const track = step.track.filter((event) => !isOf(who, event));
  return track.length === 0 ? null : { track };
};

async function play(app: TestApp, steps: readonly (Step | null)[]): Promise<void> {
  const shop = await app.makeProject("shop");
  for (const step of steps) {
    if (step === null) continue;
    if ("track" in step) await app.track(shop, ...step.track);
    else await identify(app, shop, step.identify);
  }
}

/** Ids of events and of the project, versions and times are another store's. */
const comparable = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (key, value) =>
      ["id", "project_id", "receipt", "next_cursor", "account"].includes(key) ? undefined : value,
    ),
  );

async function answersOf(app: TestApp): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const { label, operation, fields } of askedReads) {
    const { method, path } = splitName(operation.name);
    if (path.includes("{")) continue;
    const query = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const url = operation.takesQuery ? `${path}?${query}` : path;
    const body = operation.takesQuery ? {} : { body: fields };
    const answer = await app.send(method, url, { key: app.key, ...body });
    answers[label] = [answer.status, comparable(await answer.json())];
  }
  return answers;
}

test.each([randomSeed()])(
  "all reads are those of a project without the person: SEED=%d",
  async (seed) => {
    const story = randomStory(randomFrom(seed));
    const who = new Set(["p1", "p2", "p3"]);
    const [app, other] = [await testApp(), await testApp()];
    try {
      await play(app, story);
      await play(
        other,
        story.map((step) => withoutPerson(step, who)),
      );
      for (const userId of who) {
        const preview = await erase(app, { user_id: userId });
        if (preview.status === 200) await erased(app, { user_id: userId });
      }
      await Bun.sleep(50);
      expect(await answersOf(app)).toEqual(await answersOf(other));
    } finally {
      await Promise.all([app.close(), other.close()]);
    }
  },
);

test("what an id sent as another user stays that user's, without the id", async () => {
  const app = await testApp();
  try {
    const shop = await app.makeProject("shop");
    await removeOldPartsSoon(app);
    const visits = async (userId: string, count: number): Promise<void> =>
      app.track(
        shop,
        ...Array.from({ length: count }, () => ({
          ...{ event: "visit", user_id: userId, session_id: "s", timestamp: noonMs - hourMs },
        })),
      );
    await visits("Zz1-phone", 3);
    await visits("tablet", 2);
    await identify(app, shop, { previous_id: "tablet", user_id: "Zz1-phone" });
    await identify(app, shop, { previous_id: "Zz1-phone", user_id: "owner" });
    await identify(app, shop, { previous_id: "Zz1-phone", user_id: "Zz2-buyer" });
    await visits("Zz1-phone", 4);
    await visits("owner", 1);
    const eventsOf = async (userId: string): Promise<unknown> =>
      (await app.post("/events/lookup", { project: "shop", user_id: userId, since: "30d" })).count;
    expect([await eventsOf("owner"), await eventsOf("Zz2-buyer")]).toEqual([6, 4]);
    const before = await app.post("/events/lookup", { project: "shop", user_id: "owner" });
    await erased(app, { user_id: "Zz2-buyer" });
    expect([await eventsOf("owner"), await eventsOf("tablet")]).toEqual([6, 6]);
    const after = await app.post("/events/lookup", { project: "shop", user_id: "owner" });
    expect(after.events).toEqual(before.events);
    expect((await erase(app, { user_id: "Zz1-phone" })).status).toBe(404);
    await app.post("/identities/unlink", { project: "shop", previous_id: "tablet" });
    expect([await eventsOf("owner"), await eventsOf("tablet")]).toEqual([4, 2]);
    await visits("Zz1-phone", 5);
    expect([await eventsOf("owner"), await eventsOf("Zz1-phone")]).toEqual([4, 5]);
    await erased(app, { user_id: "Zz1-phone" });
    app.setTime(noonMs + hourMs);
    for (let tries = 0; tries < 50 && !(await app.deps.erasures.goOn()); tries++) {
      await Bun.sleep(20 * tries);
    }
    const texts = storedTexts(app);
    expect(["Zz1-phone", "Zz2-buyer"].filter((id) => texts.includes(id))).toEqual([]);
    expect(texts).toContain("tablet");
  } finally {
    await app.close();
  }
});
