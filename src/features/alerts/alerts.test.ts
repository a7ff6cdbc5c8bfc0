import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  alerts,
  app,
  call,
  closeAlerts,
  evaluate,
  fresh,
  goTo,
  mailed,
  make,
  me,
  nowMs,
  openAlerts,
  passes,
  restart,
  send,
  shop,
  smtp,
  state,
} from "../../../test/support/app/alerts";
import { addMember } from "../../../test/support/app/members";
import { dayMs, hourMs, minuteMs } from "../../lib/clock";

beforeAll(openAlerts);
afterAll(closeAlerts);

describe("goal", () => {
  test("fires when the date's count reaches it, once a date and across restarts", async () => {
    await fresh();
    const { id } = await make({ kind: "goal", event: "pay", count: 3 });
    await send(2, nowMs, "pay");
    await passes(minuteMs);
    expect([await mailed(), await state(id)]).toMatchObject([[], { state: "ok", history: [] }]);
    await send(1, nowMs, "pay");
    await passes(minuteMs);
    expect(await mailed()).toEqual([`${shop.name}: a goal was reached`]);
    expect(await state(id)).toMatchObject({
      state: "firing",
      history: [{ observed: 3, expected: 3 }],
    });
    restart();
    await send(5, nowMs, "pay");
    await passes(5 * minuteMs);
    expect(await mailed()).toEqual([]);
    await passes(dayMs, hourMs);
    expect(await state(id)).toMatchObject({ state: "ok" });
    await send(3, nowMs, "pay");
    await passes(minuteMs);
    expect(await mailed()).toHaveLength(1);
  });

  test("of ever fires once", async () => {
    await fresh();
    await make({ kind: "goal", event: "pay", per: "ever" });
    await send(1, nowMs, "pay");
    await passes(2 * minuteMs);
    await passes(2 * dayMs, hourMs);
    await send(1, nowMs, "pay");
    await passes(2 * minuteMs);
    expect(await mailed()).toHaveLength(1);
  });
});

describe("silence", () => {
  test("of a month goes on firing, though no window reaches its last event", async () => {
    await fresh();
    const { id } = await make({ kind: "silence", after_minutes: 30, fixed: true });
    await send(1, nowMs);
    const firing = (days: number) => {
      app.setTime(nowMs + days * dayMs);
      return evaluate(id);
    };
    expect(await firing(27)).toMatchObject({ would: "firing", minutes: 27 * 24 * 60 });
    expect((await firing(60)).would).toBe("firing");
  });

  test("is told when it begins and when it ends, and never of the time before a start", async () => {
    await fresh();
    const { id } = await make({ kind: "silence", after_minutes: 30, fixed: true });
    await send(1, nowMs);
    restart();
    await passes(29 * minuteMs);
    expect(await mailed()).toEqual([]);
    await passes(6 * minuteMs);
    expect(await mailed()).toEqual([`${shop.name}: no events for 30 minutes`]);
    await passes(2 * hourMs, 5 * minuteMs);
    expect(await mailed()).toEqual([]);
    await send(1, nowMs);
    await passes(5 * minuteMs);
    expect(await mailed()).toEqual([`${shop.name}: events arrive again`]);
    expect(await state(id)).toMatchObject({ state: "ok", history: [{ observed: 30 }] });
    // The server was away for a day.
    goTo(nowMs + dayMs);
    restart();
    await passes(29 * minuteMs);
    expect(await mailed()).toEqual([]);
  });

  test("waits 15 minutes after a jump of the clock", async () => {
    await fresh();
    const { id } = await make({ kind: "surge", at_least: 10 });
    restart(() => 0);
    goTo(nowMs + 20 * minuteMs);
    await send(10, nowMs);
    goTo(nowMs + 2 * hourMs);
    await send(10, nowMs);
    await alerts.run(nowMs);
    expect(await mailed()).toEqual([]);
    expect((await state(id)).last_evaluated_at).toBeUndefined();
    restart();
  });
});

describe("surge", () => {
  test("fires at the visitors of an hour, and not again for 12 hours", async () => {
    await fresh();
    const { id } = await make({ kind: "surge", at_least: 10 });
    restart();
    await passes(15 * minuteMs);
    await send(9, nowMs);
    await passes(5 * minuteMs);
    expect(await mailed()).toEqual([]);
    expect(await evaluate(id)).toEqual({ would: "ok", observed: 9, expected: 10 });
    await send(10, nowMs);
    await passes(5 * minuteMs);
    expect(await mailed()).toEqual([`${shop.name}: more visitors than usual`]);
    await passes(11 * hourMs, 30 * minuteMs);
    await send(10, nowMs);
    await passes(5 * minuteMs);
    expect(await mailed()).toEqual([]);
    await passes(2 * hourMs, 30 * minuteMs);
    await send(10, nowMs);
    await passes(5 * minuteMs);
    expect(await mailed()).toHaveLength(1);
  });
});

describe("change", () => {
  test("is judged at its hour for yesterday, told once, and again after a week", async () => {
    await fresh();
    const { id } = await make({ kind: "change", hour: 6 });
    await passes(minuteMs);
    expect(await state(id)).toMatchObject({ state: "learning" });
    expect(await evaluate(id)).toMatchObject({ would: "learning", threshold: null });
    for (let date = 0; date < 29; date++) await send(50, nowMs - date * dayMs - 13 * hourMs);
    await send(50, nowMs);
    // Until one minute before the hour.
    goTo(nowMs + 17 * hourMs + 58 * minuteMs);
    await alerts.run(nowMs);
    expect(await state(id)).toMatchObject({ state: "learning" });
    await passes(minuteMs);
    expect(await state(id)).toMatchObject({ state: "ok" });
    expect(await evaluate(id)).toMatchObject({
      would: "ok",
      observed: 50,
      previous: 50,
      expected: 50,
    });
    // The next date has nothing.
    await passes(dayMs, hourMs);
    expect(await mailed()).toHaveLength(1);
    restart();
    await passes(6 * dayMs, 6 * hourMs);
    expect(await mailed()).toEqual([]);
    expect((await state(id)).history).toHaveLength(1);
  });
});

describe("messages", () => {
  test("to one person are ten a day, then one that says how many more there were", async () => {
    await fresh();
    for (let n = 0; n < 12; n++) await make({ kind: "goal", event: "pay", name: `goal ${n}` });
    await send(1, nowMs, "pay");
    await passes(minuteMs);
    expect(await mailed()).toHaveLength(10);
    await passes(dayMs, hourMs);
    expect(await mailed()).toEqual(["2 more alerts"]);
  });

  test("end with a link that needs no log-in, for this alert alone", async () => {
    await fresh();
    const [one, two] = [
      await make({ kind: "goal", event: "pay" }),
      await make({ kind: "goal", event: "pay" }),
    ];
    await send(1, nowMs, "pay");
    await passes(minuteMs);
    await app.deps.mail.sendDue();
    const [mail] = smtp.taken;
    const header = mail?.raw.replace(/\r\n[ \t]+/g, "") ?? "";
    const [, link = ""] =
      /^List-Unsubscribe: <http:\/\/localhost:3000(\/unsubscribe\/unt_\w+)>/m.exec(header) ?? [];
    await mailed();
    expect((await app.send("GET", link)).status).toBe(200);
    expect((await state(one.id)).to).toMatchObject([{ state: "active" }]);
    for (let twice = 0; twice < 2; twice++) {
      const body = "List-Unsubscribe=One-Click";
      expect((await app.send("POST", link, { body })).status).toBe(200);
    }
    expect((await app.send("POST", "/unsubscribe/unt_unknown")).status).toBe(200);
    expect((await state(one.id)).to).toMatchObject([{ state: "stopped" }]);
    expect((await state(two.id)).to).toMatchObject([{ state: "active" }]);
    await call("PATCH", `/alerts/${one.id}`, { to: [me] });
    expect((await state(one.id)).to).toMatchObject([{ state: "stopped" }]);
  });

  test("of a test say that they are one, and go to each target", async () => {
    await fresh();
    const { id } = await make({ kind: "surge" });
    expect((await call("POST", `/alerts/${id}/test`)).status).toBe(200);
    expect(await mailed()).toEqual([`${shop.name}: test of an alert`]);
  });
});

test("50 alerts a project; targets are members and webhooks of the account", async () => {
  await fresh();
  for (const to of ["usr_0000000000000000", "whk_0000000000000000"]) {
    expect(await make({ kind: "surge", to: [to] })).toMatchObject({
      error: "MISSING_FIELDS",
      field: "to",
    });
  }
  for (let n = 0; n < 50; n++) expect(await make({ kind: "surge" })).not.toHaveProperty("error");
  expect(await make({ kind: "surge" })).toMatchObject({ error: "MISSING_FIELDS" });
  const filters = [{ field: "nonsense", op: "eq", value: "x" }];
  expect(await make({ kind: "goal", event: "pay", filters })).toMatchObject({
    error: "INVALID_FILTER_FIELD",
  });
});

test("only members who may see single visitors evaluate or change an alert about one of them", async () => {
  await fresh();
  const filters = [{ field: "user_id", op: "eq", value: "ann" }];
  const { id } = await make({ kind: "goal", event: "pay", count: 3, filters });
  const { key } = await addMember(app, { role: "editor", people: false, projects: null });
  const asEditor = (method: string, path: string, body: object) =>
    app.send(method, `/alerts/${id}${path}`, { ...key, body });
  const refused = { error: "FORBIDDEN", required: "people" };
  expect(await (await asEditor("POST", "/evaluate", {})).json()).toMatchObject(refused);
  expect(await (await asEditor("PATCH", "", { to: [me] })).json()).toMatchObject(refused);
  expect((await asEditor("PATCH", "", { filters: [] })).status).toBe(200);
  expect((await asEditor("POST", "/evaluate", {})).status).toBe(200);
});
