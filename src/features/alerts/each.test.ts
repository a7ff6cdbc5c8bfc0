import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  app,
  call,
  closeAlerts,
  evaluate,
  fresh,
  make,
  me,
  nowMs,
  openAlerts,
  passes,
  restart,
  send,
  shop,
  state,
} from "../../../test/support/app/alerts";
import type { Json } from "../../../test/support/app/app";
import { dayMs, hourMs, minuteMs } from "../../lib/clock";

beforeAll(openAlerts);
afterAll(closeAlerts);

describe("goal of each event", () => {
  const url = "https://hooks.example.com/each";
  const hook = async (): Promise<string> => {
    const body = { name: "Each", kind: "signed", url };
    return ((await (await call("POST", "/webhooks", body)).json()) as { id: string }).id;
  };
  const told = (webhookId: string) =>
    app.deps.control.deliveries
      .ofWebhook(webhookId)
      .map(({ message }) => JSON.parse(message) as { type: string; data: Json })
      .reverse();

  test("tells webhooks of every event, those of a minute together, across restarts", async () => {
    await fresh();
    await send(4, nowMs - hourMs, "pay");
    const to = await hook();
    const { id } = await make({ kind: "goal", event: "pay", each: true, to: [to] });
    await passes(minuteMs);
    expect(told(to)).toEqual([]);
    await send(2, nowMs - dayMs, "pay");
    await send(1, nowMs, "pay");
    expect(await evaluate(id)).toMatchObject({ would: "ok", count: 3 });
    await passes(minuteMs);
    const times = (ms: number) => new Date(ms).toISOString();
    expect(told(to)).toMatchObject([
      {
        type: "goal.reached",
        data: { event: "pay", count: 3, alert: { id, kind: "goal" }, project: { name: shop.name } },
      },
    ]);
    restart();
    await passes(3 * minuteMs);
    expect(told(to)).toHaveLength(1);
    const atMs = nowMs;
    await send(2, atMs, "pay");
    await passes(minuteMs);
    expect(told(to).at(-1)?.data).toMatchObject({
      ...{ count: 2, first_at: times(atMs - 1), last_at: times(atMs) },
    });
    expect(await state(id)).toMatchObject({ state: "ok", each: true, history: [] });
    await call("PATCH", `/alerts/${id}`, { event: "visit" });
    await send(3, nowMs + 2, "visit");
    await passes(minuteMs);
    expect(told(to).at(-1)?.data).toMatchObject({ event: "visit", count: 3 });
  });

  test("goes to nobody's mailbox, and has no count", async () => {
    await fresh();
    const each = { kind: "goal", event: "pay", each: true };
    expect(await make(each)).toMatchObject({ error: "MISSING_FIELDS", field: "to" });
    const to = [await hook()];
    for (const beside of ["count", "per"]) {
      const refused = { ...each, to, [beside]: beside === "count" ? 2 : "day" };
      expect(await make(refused)).toMatchObject({ error: "MISSING_FIELDS", field: beside });
    }
    const { id } = await make({ ...each, to });
    const changed = await call("PATCH", `/alerts/${id}`, { to: [me] });
    expect(await changed.json()).toMatchObject({ error: "MISSING_FIELDS", field: "to" });
  });

  test("of a count says when the first and the last happened", async () => {
    await fresh();
    const { id } = await make({ kind: "goal", event: "pay", count: 3 });
    await send(2, nowMs - hourMs, "pay");
    await send(1, nowMs, "pay");
    const [first, last] = [nowMs - hourMs - 1, nowMs].map((ms) => new Date(ms).toISOString());
    expect(await evaluate(id)).toMatchObject({ count: 3, first_at: first, last_at: last });
  });
});
