import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp } from "../../../test/support/app/app";
import { addMember } from "../../../test/support/app/members";
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
import { dayMs, hourMs, minuteMs } from "../../lib/clock";
import { auditEntry } from "../../store/control/audit-tables";

beforeAll(openReports);
afterAll(closeReports);

describe("an outsider", () => {
  const asked = async (address: string) => {
    await app.deps.mail.sendDue();
    const mail = smtp.taken.find(({ to }) => to.includes(address))?.raw ?? "";
    smtp.taken.length = 0;
    return {
      subject: /^Subject: (.*)$/m.exec(mail)?.[1]?.trim(),
      link: /http:\/\/localhost:3000(\/confirm\/sct_[0-9a-f]+)/.exec(
        mail.replaceAll("=\r\n", ""),
      )?.[1],
    };
  };

  test("is asked once, and gets nothing before the link is followed", async () => {
    await fresh();
    await app.track(shop, visit("ann", beforeMs - 2 * dayMs));
    const { id } = await make({ to: ["Ann@Example.com"] });
    expect((await state(id)).recipients).toEqual([{ to: "ann@example.com", state: "pending" }]);
    const { subject: what, link = "" } = await asked("ann@example.com");
    expect(what).toBe(`Confirm: weekly report of ${shop.name}`);
    await call("PATCH", `/reports/${id}`, { hour: 9, to: ["ann@example.com", me] });
    await runAt(beforeMs + 2 * hourMs);
    expect(await mailed()).toEqual([subject()]);
    expect((await call("GET", link, undefined, {})).status).toBe(200);
    expect((await state(id)).recipients).toMatchObject([{ state: "pending" }, {}]);
    for (let twice = 0; twice < 2; twice++) {
      const page = await call("POST", link, undefined, {});
      expect(await page.text()).toContain("You get these messages from now on");
    }
    await runAt(beforeMs + 7 * dayMs + 2 * hourMs);
    expect(await mailed()).toHaveLength(2);
  });

  test("has a link that is good for 7 days, and is asked again after them", async () => {
    await fresh();
    const { id } = await make({ to: ["bob@example.com"] });
    const { link = "" } = await asked("bob@example.com");
    app.setTime(beforeMs - dayMs + 7 * dayMs);
    expect(await (await call("POST", link, undefined, {})).text()).toContain("no longer good");
    expect(await (await call("POST", "/confirm/sct_x", undefined, {})).text()).toContain(
      "no longer",
    );
    await call("PATCH", `/reports/${id}`, { to: ["bob@example.com"] });
    const { link: second = "" } = await asked("bob@example.com");
    expect(second).not.toBe(link);
    expect(await (await call("POST", second, undefined, {})).text()).toContain("from now on");
  });

  test("is named by administrators alone, five an hour and account, and not without mail", async () => {
    await fresh();
    app.setTime(beforeMs + 20 * dayMs);
    const editor = await addMember(app, { role: "editor", people: false, projects: null });
    const body = { project: shop.name, every: "week", to: ["eve@example.com"] };
    const refused = await call("POST", "/reports", body, editor.key);
    expect(await refused.json()).toMatchObject({ error: "FORBIDDEN", required: "admin" });
    const addresses = ["a", "b", "c", "d", "e"].map((name) => `${name}@example.com`);
    const { id } = await make({ to: addresses });
    expect(
      (await call("PATCH", `/reports/${id}`, { hour: 3, to: addresses }, editor.key)).status,
    ).toBe(200);
    expect((await call("POST", "/reports", body)).status).toBe(429);
    expect(await mailed()).toHaveLength(5);
    const without = await testApp();
    await without.makeProject("shop");
    const answer = await without.send("POST", "/reports", {
      ...{ key: without.key, body: { ...body, project: "shop" } },
    });
    expect(await answer.json()).toMatchObject({ error: "MAIL_NOT_CONFIGURED" });
    await without.close();
  });
});

test("a webhook gets the data of the report", async () => {
  await fresh();
  await app.track(shop, visit("ann", beforeMs - 2 * dayMs));
  const url = "https://hooks.example.com/reports";
  const webhook = await json(call("POST", "/webhooks", { name: "Reports", kind: "signed", url }));
  const { id } = await make({ to: [webhook.id] });
  await runAt(beforeMs + minuteMs);
  const { data } = await json(call("GET", `/reports/${id}/preview`));
  const [delivery] = app.deps.control.deliveries.ofWebhook(webhook.id);
  expect(JSON.parse(delivery?.message ?? "{}")).toMatchObject({
    type: "report.ready",
    data: { report: { id, every: "week" }, project: { id: shop.id, name: shop.name }, data },
  });
  await runAt(beforeMs + 2 * minuteMs);
  expect(app.deps.control.deliveries.ofWebhook(webhook.id)).toHaveLength(1);
});

test("each change of a report, and each letter that somebody asked for, is in the audit log", async () => {
  await fresh();
  app.setTime(beforeMs + 40 * dayMs);
  const before = app.deps.control.db.select().from(auditEntry).all().length;
  const { id } = await make({ to: [me, "zoe@example.com"] });
  await call("PATCH", `/reports/${id}`, { hour: 9 });
  expect((await call("POST", `/reports/${id}/send`)).status).toBe(200);
  await call("DELETE", `/reports/${id}`);
  const entries = app.deps.control.db.select().from(auditEntry).all().slice(before);
  expect(entries.filter(({ targetId }) => targetId === id).map(({ action }) => action)).toEqual([
    ...(["report_address_asked", "report_made", "report_changed"] as const),
    ...(["report_sent", "report_deleted"] as const),
  ]);
});
