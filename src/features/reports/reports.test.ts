import { afterAll, beforeAll, describe, expect, test } from "bun:test";
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
  period,
  runAt,
  shop,
  smtp,
  state,
  subject,
  visit,
} from "../../../test/support/app/reports";
import { dayMs, minuteMs } from "../../lib/clock";

beforeAll(openReports);
afterAll(closeReports);

describe("a report", () => {
  test("goes out at its hour on Monday, once, through restarts and a clock that is set back", async () => {
    await fresh();
    const { id } = await make();
    await runAt(beforeMs);
    expect(await mailed()).toEqual([]);
    expect(await state(id)).toMatchObject({ next_at: "2026-01-12T08:00:00.000Z" });
    await runAt(beforeMs + minuteMs);
    expect(await mailed()).toEqual([subject()]);
    for (const nowMs of [beforeMs + 2 * minuteMs, beforeMs - 6 * dayMs, beforeMs + minuteMs]) {
      await runAt(nowMs);
    }
    expect(await mailed()).toEqual([]);
    expect(await state(id)).toMatchObject({
      ...{ next_at: "2026-01-19T08:00:00.000Z" },
      last: { period, sent: 1, failed: 0 },
    });
    await runAt(beforeMs + 7 * dayMs + minuteMs);
    expect(await mailed()).toEqual([`${shop.name}: 2026-01-12 to 2026-01-18`]);
  });

  test("that was missed goes out up to 48 hours late, in the zone of its project", async () => {
    await fresh("America/New_York");
    const { id } = await make({ hour: 9 });
    const dueMs = Date.UTC(2026, 0, 12, 14);
    await runAt(dueMs - 1);
    expect(await mailed()).toEqual([]);
    await runAt(dueMs + 2 * dayMs + 1);
    expect(await mailed()).toEqual([]);
    await runAt(dueMs + 2 * dayMs);
    expect(await mailed()).toEqual([subject()]);
    expect(await state(id)).toMatchObject({ next_at: "2026-01-19T14:00:00.000Z" });
  });

  test("about a month goes out on the 1st", async () => {
    await fresh();
    await make({ every: "month", hour: 0 });
    await runAt(Date.UTC(2026, 1, 1) - 1);
    expect(await mailed()).toEqual([]);
    await runAt(Date.UTC(2026, 1, 1));
    expect(await mailed()).toEqual([`${shop.name}: 2026-01-01 to 2026-01-31`]);
  });

  test("stops after four weeks without an event, and says so; a change starts it again", async () => {
    await fresh();
    app.setTime(beforeMs - 29 * dayMs);
    const { id } = await make();
    await runAt(beforeMs - 7 * dayMs + minuteMs);
    expect(await mailed()).toHaveLength(1);
    await runAt(beforeMs + minuteMs);
    await app.deps.mail.sendDue();
    expect(smtp.taken[0]?.raw).toContain("this was the last of these reports");
    expect(await mailed()).toHaveLength(1);
    expect(await state(id)).toHaveProperty("stopped_at");
    expect(await state(id)).not.toHaveProperty("next_at");
    await runAt(beforeMs + 7 * dayMs + minuteMs);
    expect(await mailed()).toEqual([]);
    await call("PATCH", `/reports/${id}`, { hour: 9 });
    expect(await state(id)).toMatchObject({ hour: 9, next_at: "2026-01-19T09:00:00.000Z" });
    await app.track(shop, visit("ann", beforeMs));
    await runAt(beforeMs + 7 * dayMs + 61 * minuteMs);
    await runAt(beforeMs + 14 * dayMs + 61 * minuteMs);
    expect(await mailed()).toHaveLength(2);
    expect(await state(id)).not.toHaveProperty("stopped_at");
  });

  test("ends with the link of one member, and with the right to see the project", async () => {
    await fresh();
    await app.track(shop, visit("ann", beforeMs - 2 * dayMs));
    const member = await addMember(app, { role: "viewer", people: false, projects: null });
    const { id } = await make({ to: [me, member.personId] });
    await runAt(beforeMs + minuteMs);
    await app.deps.mail.sendDue();
    const ofMe = smtp.taken.find(({ to }) => to.includes("owner@example.com"))?.raw ?? "";
    const [, link = ""] =
      /^List-Unsubscribe: <http:\/\/localhost:3000(\/unsubscribe\/unt_\w+)>/m.exec(
        ofMe.replace(/\r\n[ \t]+/g, ""),
      ) ?? [];
    expect(await mailed()).toHaveLength(2);
    await call("POST", link, "List-Unsubscribe=One-Click", {});
    expect((await state(id)).recipients).toMatchObject([{ state: "stopped" }, { state: "active" }]);
    await call("DELETE", `/members/${member.personId}`);
    expect((await state(id)).recipients).toMatchObject([{ to: me }]);
    await runAt(beforeMs + 7 * dayMs + minuteMs);
    expect(await mailed()).toEqual([]);
    expect(await state(id)).toMatchObject({ last: { sent: 0, failed: 0 } });
  });
});

describe("who may", () => {
  test("keep a report: editors any, viewers one that goes to themselves", async () => {
    await fresh();
    const viewer = await addMember(app, { role: "viewer", people: false, projects: null });
    const body = { project: shop.name, every: "week" };
    const asViewer = (to: readonly string[]) =>
      call("POST", "/reports", { ...body, to }, viewer.key);
    expect((await asViewer([me])).status).toBe(403);
    const own = await json(asViewer([viewer.personId]));
    const others = await make();
    expect((await call("PATCH", `/reports/${own.id}`, { hour: 7 }, viewer.key)).status).toBe(200);
    expect((await call("PATCH", `/reports/${own.id}`, { to: [me] }, viewer.key)).status).toBe(403);
    expect((await call("PATCH", `/reports/${others.id}`, { hour: 7 }, viewer.key)).status).toBe(
      403,
    );
    expect((await call("DELETE", `/reports/${others.id}`, undefined, viewer.key)).status).toBe(403);
    expect((await call("DELETE", `/reports/${own.id}`, undefined, viewer.key)).status).toBe(200);
    const filters = [{ field: "user_id", op: "eq", value: "ann" }];
    const singled = await call(
      "POST",
      "/reports",
      { ...body, to: [viewer.personId], filters },
      viewer.key,
    );
    expect(await singled.json()).toMatchObject({ error: "FORBIDDEN", required: "people" });
    const ofAnn = await make({ filters });
    const preview = await call("GET", `/reports/${ofAnn.id}/preview`, undefined, viewer.key);
    expect(preview.status).toBe(403);
    const editor = await addMember(app, { role: "editor", people: false, projects: null });
    const changed = (body: object) => call("PATCH", `/reports/${ofAnn.id}`, body, editor.key);
    expect((await changed({ to: [editor.personId] })).status).toBe(403);
    expect((await changed({ filters: [] })).status).toBe(200);
  });

  test("send the last report to themselves, five times an hour", async () => {
    await fresh();
    const { id } = await make();
    for (let n = 0; n < 5; n++)
      expect((await call("POST", `/reports/${id}/send`)).status).toBe(200);
    expect((await call("POST", `/reports/${id}/send`)).status).toBe(429);
    expect(await mailed()).toHaveLength(5);
    expect(await state(id)).not.toHaveProperty("last");
  });
});

test("50 reports a project; targets are members, webhooks and addresses", async () => {
  await fresh();
  for (const to of ["usr_0000000000000000", "whk_0000000000000000", "ann@", "a b@example.com"]) {
    expect(await make({ to: [to] })).toMatchObject({ error: "MISSING_FIELDS", field: "to" });
  }
  const filters = [{ field: "nonsense", op: "eq", value: "x" }];
  expect(await make({ filters })).toMatchObject({ error: "INVALID_FILTER_FIELD" });
  for (let n = 0; n < 50; n++) expect(await make()).toHaveProperty("id");
  expect(await make()).toMatchObject({ error: "MISSING_FIELDS", field: "project" });
});
