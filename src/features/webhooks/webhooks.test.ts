import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { Json } from "../../../test/support/app/app";
import {
  app,
  call,
  cause,
  closeWebhooks,
  deliveries,
  get,
  later,
  make,
  nowMs,
  openWebhooks,
  receiver,
  startAfresh,
  type Taken,
  taken,
} from "../../../test/support/app/webhooks";
import { dayMs, hourMs, minuteMs, secondMs } from "../../lib/clock";

const own = "http://localhost:3000";

beforeAll(openWebhooks);
beforeEach(startAfresh);
afterAll(closeWebhooks);

const signatureOf = (secret: unknown, { headers, body }: Taken): string => {
  const key = Buffer.from(String(secret).slice("whsec_".length), "base64");
  const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
};

describe("a signed message", () => {
  test("has its id, its time and a signature of the secret that was shown once", async () => {
    const { id, secret, ...made } = await make();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toMatchObject({ status: 201, url: "https://hooks.example.com/in?a=1" });
    expect(JSON.stringify(await get("/webhooks"))).not.toContain(String(secret));
    const name = await cause();
    const [message] = taken;
    if (message === undefined) throw new Error("Nothing was sent.");
    const { headers, body } = message;
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("user-agent")).toMatch(/^Sightline\//);
    expect(headers.get("host")).toBe("hooks.example.com");
    expect(headers.get("webhook-timestamp")).toBe(String(nowMs / 1_000));
    expect(headers.get("webhook-signature")).toBe(signatureOf(secret, message));
    const timestamp = new Date(nowMs).toISOString();
    expect(JSON.parse(body)).toMatchObject({
      ...{ type: "project.created", timestamp },
      data: { project: { name }, by: { email: "owner@example.com" } },
    });
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({
      type: "project.created",
      state: "delivered",
      tries: 1,
      status: 200,
    });
    expect(headers.get("webhook-id")).toBe(String(delivery?.id));
  });

  test("has two signatures for a day after a rotation", async () => {
    const { id, secret } = await make();
    const rotated = (await (await call("POST", `/webhooks/${id}/rotate`)).json()) as Json;
    await cause();
    const [first] = taken;
    const both =
      first && [signatureOf(rotated.secret, first), signatureOf(secret, first)].join(" ");
    expect(first?.headers.get("webhook-signature")).toBe(String(both));
    await later(dayMs);
    await cause();
    const [, second] = taken;
    expect(second?.headers.get("webhook-signature")).toBe(
      String(second && signatureOf(rotated.secret, second)),
    );
  });

  test("is told to the webhooks that want it, in the commit of its cause", async () => {
    const [all, other] = [await make(), await make({ events: ["project.deleted"] })];
    const name = await cause();
    expect(
      await call("POST", "/projects", { name: "x".repeat(65), domain: "x.example" }),
    ).toMatchObject({ status: 400 });
    expect([(await deliveries(all.id)).length, (await deliveries(other.id)).length]).toEqual([
      1, 0,
    ]);
    const { projects: of } = (await get("/projects")) as {
      projects: { id: string; name: string }[];
    };
    await call("DELETE", `/projects/${of.find((one) => one.name === name)?.id}`);
    expect([(await deliveries(all.id)).length, (await deliveries(other.id)).length]).toEqual([
      2, 1,
    ]);
  });
});

describe("chats", () => {
  const nasty = "<!channel> *x* [a](http://evil.example) @everyone & co";
  const tested = async (kind: string) => {
    const made = await make({
      kind,
      name: nasty,
      url: "https://hooks.chat.example/services/secret",
    });
    expect(made).toMatchObject({ url: "https://hooks.chat.example/…" });
    expect(made.secret).toBeUndefined();
    await call("POST", `/webhooks/${made.id}/test`);
    expect(taken[0]?.headers.get("webhook-signature")).toBeNull();
    return JSON.parse(taken[0]?.body ?? "") as Json;
  };

  test("of Slack get a text in which nothing mentions or links", async () => {
    expect(await tested("slack")).toEqual({
      text:
        'Test of the webhook "&lt;!channel&gt; *x* [a](http:\u200b//evil.example) @everyone &amp; co": it works.' +
        `\n${own}`,
    });
  });

  test("of Discord get a text that mentions nobody", async () => {
    const { content, allowed_mentions } = await tested("discord");
    expect(allowed_mentions).toEqual({ parse: [] });
    expect(content).toBe(
      'Test of the webhook "\\<!channel\\> \\*x\\* \\[a\\]\\(http\\:\u200b//evil.example\\) \\@everyone & ' +
        `co"\\: it works.\n${own}`,
    );
  });
});

describe("a try that fails", () => {
  test("is followed by others after 5 s, 1, 5, 30 min, 2, 6, 12 and 24 h, each with the same id", async () => {
    receiver.answer = () => new Response(null, { status: 503 });
    const { id } = await make();
    await cause();
    const waits = [5 * secondMs, minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs];
    for (const [tries, wait] of [...waits, 12 * hourMs, 24 * hourMs].entries()) {
      expect(taken).toHaveLength(tries + 1);
      await later(wait - 1);
      expect(taken).toHaveLength(tries + 1);
      await later(1);
    }
    expect(taken).toHaveLength(9);
    expect(new Set(taken.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
    expect((await deliveries(id))[0]).toMatchObject({ state: "failed", tries: 9, error: "status" });
    receiver.answer = () => new Response(null);
    const [{ id: delivery } = { id: "" }] = await deliveries(id);
    const again = await call("POST", `/webhooks/${id}/deliveries/${delivery}/again`);
    expect(again.status).toBe(202);
    await app.deps.webhooks.sendDue();
    expect((await deliveries(id))[0]).toMatchObject({ id: delivery, state: "delivered", tries: 1 });
  });

  test.each([
    [408, "queued"],
    [425, "queued"],
    [429, "queued"],
    [500, "queued"],
    [400, "failed"],
    [404, "failed"],
    [301, "failed"],
    [304, "failed"],
  ])("with %d is %s then", async (status, state) => {
    receiver.answer = () =>
      new Response(null, { status, headers: { location: "https://hooks.example.com/" } });
    const { id } = await make();
    await cause();
    expect(taken).toHaveLength(1);
    expect((await deliveries(id))[0]).toMatchObject({ state, status, error: "status" });
  });

  test("waits as long as Retry-After says, up to a day", async () => {
    receiver.answer = () => new Response(null, { status: 429, headers: { "retry-after": "600" } });
    await make();
    await cause();
    await later(599 * secondMs);
    expect(taken).toHaveLength(1);
    receiver.answer = () =>
      new Response(null, { status: 429, headers: { "retry-after": "86401" } });
    await later(secondMs);
    expect(taken).toHaveLength(2);
    await later(minuteMs);
    expect(taken).toHaveLength(3);
  });

  test("with 410 switches the webhook off", async () => {
    receiver.answer = () => new Response(null, { status: 410 });
    const { id } = await make();
    await cause();
    await cause();
    expect(taken).toHaveLength(1);
    const { webhooks } = await get("/webhooks");
    expect(webhooks).toMatchObject([{ id, enabled: false, disabled_reason: "gone" }]);
    const on = await call("PATCH", `/webhooks/${id}`, { enabled: true });
    expect((await on.json()) as Json).not.toHaveProperty("disabled_reason");
  });

  test("for five days in which nothing is delivered switches it off", async () => {
    receiver.answer = () => new Response(null, { status: 500 });
    await make();
    await cause();
    await later(5 * dayMs - 1);
    expect((await get("/webhooks")).webhooks).toMatchObject([{ enabled: true }]);
    await cause();
    await later(1 * minuteMs);
    expect((await get("/webhooks")).webhooks).toMatchObject([
      { enabled: false, disabled_reason: "failing" },
    ]);
  });
});
