import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { ownerOf } from "../../../test/support/app/owner";
import { owner, type Person, password, signUp } from "../../../test/support/app/person";
import { addFeedback, feedbackKeptMax } from "../../store/control/feedback";
import { feedback } from "../../store/control/tables";

let app: TestApp;
let admin: Person;
beforeEach(async () => {
  app = await testApp({ REGISTRATION: "open" });
  admin = await owner(app);
});
afterEach(() => app.close());

const send = (sent: Json) => app.send("POST", "/account/feedback", { key: app.key, body: sent });
const list = async () => {
  const [, { feedback: said }] = await admin.ask("GET", "/admin/feedback");
  return said as readonly Json[];
};

describe("feedback", () => {
  test("is kept as it was said, for the administrator, newest first", async () => {
    const said = { message: " It's 😀\n", project: "shop", command: "stats", context: "<b>hm</b>" };
    const answer = await send(said);
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
    app.setTime(noonMs + 1);
    await send({ message: "More", project: null });
    const id = expect.stringMatching(/^fb_[a-z0-9]{16}$/);
    expect(await list()).toEqual([
      {
        id,
        account_id: admin.id,
        message: "More",
        project: null,
        command: null,
        context: null,
        created_at: "2026-01-14T12:00:00.001Z",
      },
      { id, account_id: admin.id, ...said, created_at: "2026-01-14T12:00:00.000Z" },
    ]);
  });

  test.each([
    ["message", 4_000],
    ["project", 96],
    ["command", 1_000],
    ["context", 4_000],
  ])("%s has at most %d code points", async (field, most) => {
    const sized = (chars: number) => send({ message: "m", [field]: "😀".repeat(chars) });
    expect((await sized(most)).status).toBe(200);
    expect(await (await sized(most + 1)).json()).toMatchObject({ error: "MISSING_FIELDS", field });
  });

  test("needs a message", async () => {
    for (const sent of [{}, { message: "" }, { message: null }, { project: "shop" }]) {
      expect(await (await send(sent)).json()).toMatchObject({
        error: "MISSING_FIELDS",
        field: "message",
      });
    }
    expect(await (await send({ message: {} })).json()).toMatchObject({ error: "INVALID_BODY" });
  });

  test("takes an agent session that may send it, and no other", async () => {
    const answers = ["feedback:write", "account:read"].map((scope) => {
      const made = { ...ownerOf(app.deps.control, admin.id), scopes: [scope], clientType: "cli" };
      const { accessToken } = app.deps.control.agents.addSession(made, noonMs);
      const headers = { authorization: `Bearer ${accessToken}` };
      return app.send("POST", "/account/feedback", { headers, body: { message: "Hello" } });
    });
    const [taken, refused] = await Promise.all(answers);
    expect(taken?.status).toBe(200);
    expect([refused?.status, await refused?.json()]).toMatchObject([
      403,
      { error: "FORBIDDEN", required_scope: "feedback:write" },
    ]);
  });

  test(`is kept of the last ${feedbackKeptMax} times that an account said something`, async () => {
    const ann = await signUp(app, "ann@example.com");
    await ann.ask("POST", "/account/feedback", { message: "from ann" });
    const { control } = app.deps;
    control.write(() => {
      for (let n = 0; n < feedbackKeptMax; n++) {
        addFeedback(control, { accountId: admin.id, message: String(n) });
      }
    });
    const kept = () =>
      control.db
        .select()
        .from(feedback)
        .all()
        .map(({ message }) => message);
    expect(kept()).toHaveLength(1 + feedbackKeptMax);
    await send({ message: "one more" });
    expect(kept()).toHaveLength(1 + feedbackKeptMax);
    expect(kept()).toEqual(expect.arrayContaining(["from ann", "1", "one more"]));
    expect(kept()).not.toContain("0");
  });

  test("shows the newest 200, and none of people who left", async () => {
    const ann = await signUp(app, "ann@example.com");
    await ann.ask("POST", "/account/feedback", { message: "from ann" });
    for (let n = 0; n < 200; n++) {
      app.setTime(noonMs + n);
      await send({ message: String(n) });
    }
    const messages = async () => (await list()).map(({ message }) => message);
    expect((await messages()).length).toBe(200);
    expect((await messages()).slice(0, 2)).toEqual(["199", "198"]);
    app.setTime(noonMs + 1_000);
    await ann.ask("POST", "/account/feedback", { message: "later" });
    expect((await messages())[0]).toBe("later");
    await ann.ask("DELETE", "/account", { password });
    expect((await messages())[0]).toBe("199");
  });
});
