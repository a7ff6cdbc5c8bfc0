import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../../test/support/app/app";
import { erasedPerson } from "../../../test/support/app/people";
import {
  app,
  beforeMs,
  call,
  closeReports,
  fresh,
  json,
  mailed,
  make,
  me,
  openReports,
  runAt,
  shop,
  smtp,
  state,
  subject,
  visit,
} from "../../../test/support/app/reports";
import { storedTexts } from "../../../test/support/engine/stored-texts";
import { dayMs, hourMs } from "../../lib/clock";
import { subscription } from "../../store/control/subscription-tables";
import { webhookDelivery } from "../../store/control/webhook-tables";

beforeAll(openReports);
afterAll(closeReports);

const gone = "Zz9-named";
const filtersOn = (value: unknown): Json => ({ filters: [{ field: "user_id", op: "eq", value }] });
const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

async function untilDone(erasureId: unknown, nowMs: number): Promise<void> {
  app.setTime(nowMs);
  for (let tries = 0; tries < 50 && !(await app.deps.erasures.goOn()); tries++) await Bun.sleep(20);
  expect(await app.get(`/people/erasures/${erasureId}`)).toMatchObject({ state: "done" });
}

/** Makes a webhook, and returns its id. */
function webhook(): string {
  const { control } = app.deps;
  const [accountId = ""] = control.deliveries.accountsOfAdmins();
  const made = { accountId, projectId: null, name: "mine", kind: "signed", events: [] } as const;
  return control.webhooks.add({ ...made, url: "https://hooks.example.com/in" }).row.id;
}

test("reports and alerts that name the person go, with their recipients and messages", async () => {
  await fresh();
  await app.track(shop, visit(gone, beforeMs - 2 * dayMs), visit("ann", beforeMs - 2 * dayMs));
  const to = [me, webhook()];
  const report = await make({ to, ...filtersOn(gone) });
  const inList = { field: "user_id", op: "in", value: ["bob", gone] };
  const group = { any: [{ field: "country", op: "eq", value: "DE" }, inList] };
  const nested = await make({ to, filters: [group] });
  const kept = await make({ to, ...filtersOn("ann") });
  const { id: alert } = await json(
    call("POST", "/alerts", {
      ...{ project: shop.name, name: "Mine", to, kind: "goal", event: "buy", count: 5, per: "day" },
      ...filtersOn(gone),
    }),
  );
  smtp.refuse = { data: () => [451, "4.3.0 Later"] };
  await runAt(beforeMs + 2 * hourMs);
  expect((await call("POST", `/alerts/${alert}/test`)).status).toBe(200);
  await app.deps.mail.sendDue();
  const { control } = app.deps;
  expect(control.mail.counts(beforeMs + 2 * hourMs).queued).toBe(4);
  expect(control.db.select().from(webhookDelivery).all()).toHaveLength(4);
  const { id } = await erasedPerson(app, { project: shop.name, user_id: gone });
  expect(idsOf(control.reports.ofProject(shop.id))).toEqual([kept.id]);
  expect(await state(report.id)).toEqual({});
  expect(await state(nested.id)).toEqual({});
  expect(control.alerts.ofProject(shop.id)).toEqual([]);
  const subjects = control.db.select().from(subscription).all();
  expect(new Set(subjects.map((row) => row.subject))).toEqual(new Set([kept.id]));
  const left = control.db.select().from(webhookDelivery).all();
  expect(left.map(({ message }) => JSON.parse(message).data.report.id)).toEqual([kept.id]);
  smtp.refuse = {};
  app.setTime(beforeMs + 3 * hourMs);
  expect(await mailed()).toEqual([subject()]);
  await untilDone(id, beforeMs + 4 * hourMs);
  expect(storedTexts(app).includes(gone)).toBe(false);
});

test("an experiment goes whose goal names the person", async () => {
  await fresh();
  await app.track(shop, visit(gone, beforeMs - 2 * dayMs));
  const project = shop.name;
  // A goal's filter on user_id names nobody, but a property may have an id.
  const filters = [{ field: "properties.customer", op: "eq", value: gone }];
  const goal = await json(
    call("POST", "/goals", { project, name: "Order", event: "buy", filters }),
  );
  const made = { project, variants: ["control", "clear"] };
  await json(call("POST", "/experiments", { ...made, name: "one", goal_event: { goal: goal.id } }));
  await json(call("POST", "/experiments", { ...made, name: "two", goal_event: "buy" }));
  expect(app.deps.control.experiments.ofProject(shop.id)).toHaveLength(2);
  const { id } = await erasedPerson(app, { project, user_id: gone });
  expect(app.deps.control.experiments.ofProject(shop.id)).toMatchObject([{ name: "two" }]);
  await untilDone(id, beforeMs + hourMs);
  expect(storedTexts(app).includes(gone)).toBe(false);
});

test("a filter names an id of digits by a number too, and other numbers name nobody", async () => {
  await fresh();
  await app.track(shop, visit("9", beforeMs - 2 * dayMs));
  const byNumber = await make(filtersOn(9));
  const inList = await make({ filters: [{ field: "user_id", op: "in", value: ["ann", 9] }] });
  const kept = await make({ hour: 9, ...filtersOn(99) });
  expect([byNumber.id, inList.id, kept.id]).not.toContain(undefined);
  await erasedPerson(app, { project: shop.name, user_id: "9" });
  expect(idsOf(app.deps.control.reports.ofProject(shop.id))).toEqual([kept.id]);
});

test("a request names one person, by an id or by an address", async () => {
  await fresh();
  await app.track(shop, visit("ann", beforeMs - 2 * dayMs), visit("bob", beforeMs - 2 * dayMs));
  const traits = { email: "bob@example.com" };
  const body = { token: shop.token, previous_id: "b", user_id: "bob", traits };
  await app.send("POST", "/identify", { body });
  const both = { project: shop.name, user_id: "ann", email: "bob@example.com" };
  for (const path of ["/people/erase", "/people/export"]) {
    const refused = await call("POST", path, both);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      ...{ error: "MISSING_FIELDS", field: "email" },
      message: 'Send either "user_id" or "email", not both.',
    });
    for (const one of [{ user_id: "ann" }, { email: "bob@example.com" }]) {
      expect((await call("POST", path, { project: shop.name, ...one })).status).toBe(200);
    }
  }
  const looked = await call("POST", "/events/lookup", { ...both, since: "30d" });
  expect(await looked.json()).toMatchObject({ count: 2 });
});
