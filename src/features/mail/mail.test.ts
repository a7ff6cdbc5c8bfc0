import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type SmtpDouble, smtpServer, smtpSettings } from "../../../test/mail/smtp";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { hourMs, minuteMs } from "../../lib/clock";
import { Mail } from "../../services/mail/mail";

let smtp: SmtpDouble;
let app: TestApp;
beforeAll(async () => {
  smtp = await smtpServer();
});
afterAll(() => smtp.close());
beforeEach(async () => {
  smtp.refuse = {};
  app = await testApp(smtpSettings(smtp, { MAIL_PER_HOUR: "5" }));
  await app.deps.mail.sendDue();
  smtp.taken.length = 0;
});
afterEach(() => app.close());

const own = "http://localhost:3000";
const letter = { subject: "S", text: "T", html: "<p>T</p>" };
const state = async (): Promise<Json> => {
  const answer = await app.send("GET", "/admin/mail", { headers: { cookie: app.cookie } });
  return (await answer.json()) as Json;
};
const newest = async (): Promise<Json> => ((await state()).messages as readonly Json[])[0] ?? {};
const post = (path: string, body?: unknown) =>
  app.send("POST", path, { headers: { cookie: app.cookie, origin: own }, body });
const queue = (kind: "security" | "reset", to = "ann@example.org") =>
  app.deps.control.write(() => app.deps.mail.queue(kind, to, () => ({ ...letter, subject: to })));
const subjects = () => smtp.taken.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim());

describe("a change of an account", () => {
  test("is mailed to its person, and listed without the address", async () => {
    expect((await post("/account/revoke-key")).status).toBe(200);
    await app.deps.mail.sendDue();
    expect(subjects()).toEqual(["Your account on localhost:3000: an API key was made"]);
    expect(smtp.taken[0]?.to).toEqual(["owner@example.com"]);
    expect(await newest()).toEqual({
      ...{ kind: "security", to: "o…@example.com", state: "sent", tries: 1 },
      ...{ created_at: "2026-01-14T12:00:00.000Z", sent_at: "2026-01-14T12:00:00.000Z" },
    });
  });

  test("that is not made is not mailed", async () => {
    expect((await post("/account/api-key")).status).toBe(409);
    await app.deps.mail.sendDue();
    expect(smtp.taken).toEqual([]);
  });

  test("of the address or password by an administrator is mailed to the address of before", async () => {
    const { id } = (await (await post("/admin/accounts", account)).json()) as { id: string };
    const change = { email: "new@example.com", password: "another battery" };
    const headers = { cookie: app.cookie, origin: own };
    await app.send("PATCH", `/admin/accounts/${id}`, { headers, body: change });
    await app.deps.mail.sendDue();
    expect(smtp.taken.map(({ to }) => to[0])).toEqual(["old@example.com", "old@example.com"]);
    expect(subjects()).toEqual([
      "Your account on localhost:3000: the email address was changed",
      "Your account on localhost:3000: the password was changed",
    ]);
  });
  const account = { email: "old@example.com", password: "correct horse battery" };
});

describe("a try that fails", () => {
  test("for the moment is followed by tries after 1, 5, 30 min, 2, 6, 12 h, then by none", async () => {
    smtp.refuse = { to: () => [450, "greylisted"] };
    queue("security");
    let nowMs = noonMs;
    const waits = [1 * minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs, 12 * hourMs];
    for (const [tries, wait] of waits.entries()) {
      await app.deps.mail.sendDue();
      expect(await newest()).toMatchObject({ state: "queued", tries: tries + 1 });
      app.setTime(nowMs + wait - 1);
      await app.deps.mail.sendDue();
      expect((await newest()).tries).toBe(tries + 1);
      nowMs += wait;
      app.setTime(nowMs);
    }
    await app.deps.mail.sendDue();
    const failed = { state: "failed", tries: 7, error: "to: 450 greylisted" };
    expect(await newest()).toMatchObject(failed);
    smtp.refuse = {};
    app.setTime(nowMs + 24 * hourMs);
    await app.deps.mail.sendDue();
    expect(smtp.taken).toEqual([]);
  });

  test("for good is the last one", async () => {
    smtp.refuse = { data: () => [550, "no"] };
    queue("security");
    await app.deps.mail.sendDue();
    expect(await newest()).toMatchObject({ state: "failed", tries: 1, error: "data: 550 no" });
    expect(await state()).toMatchObject({ queued: 0, failed_24h: 1 });
  });

  test("is told to nobody's log with an address or a text", async () => {
    smtp.refuse = { to: (address) => [550, `unknown ${address}`] };
    queue("security", "ann.secret@example.org");
    await app.deps.mail.sendDue();
    expect(app.logged.join("")).toContain("a message was not delivered");
    expect(app.logged.join("")).not.toContain("ann.secret");
  });
});

describe("the queue", () => {
  test("sends urgent messages first, and a bounded number in an hour", async () => {
    smtp.refuse = { from: () => [450, "wait"] };
    for (const n of [1, 2, 3, 4, 5]) queue("security", `s${n}@example.org`);
    await app.deps.mail.sendDue();
    smtp.refuse = {};
    queue("reset", "urgent@example.org");
    app.setTime(noonMs + minuteMs);
    await app.deps.mail.sendDue();
    // One of five went out with the set-up, when the key was made.
    const [first, ...others] = subjects();
    expect(first).toBe("urgent@example.org");
    expect(others).toHaveLength(3);
    app.setTime(noonMs + hourMs - 1);
    await app.deps.mail.sendDue();
    expect(smtp.taken).toHaveLength(4);
    app.setTime(noonMs + hourMs + minuteMs);
    await app.deps.mail.sendDue();
    expect(subjects().sort()).toEqual([
      ...["s1", "s2", "s3", "s4", "s5", "urgent"].map((name) => `${name}@example.org`),
    ]);
  });

  test("is in the file, sealed, and a start sends what it has, once", async () => {
    smtp.refuse = { from: () => [450, "wait"] };
    queue("security");
    await app.deps.mail.sendDue();
    const [row] = app.deps.control.mail.newest();
    expect(row?.sealedLetter).not.toContain("subject");
    smtp.refuse = {};
    app.setTime(noonMs + minuteMs);
    const { control, config } = app.deps;
    const again = new Mail({ control, settings: config.mail, url: config.publicUrl });
    await again.sendDue();
    await again.close();
    await app.deps.mail.sendDue();
    expect(smtp.taken).toHaveLength(1);
    expect(app.deps.control.mail.newest()[0]?.sealedLetter).toBeNull();
  });

  test("does not wait for a time that a wrong clock chose", async () => {
    app.jumpTo(noonMs + 365 * 24 * hourMs);
    smtp.refuse = { from: () => [450, "wait"] };
    queue("security");
    await app.deps.mail.sendDue();
    smtp.refuse = {};
    app.jumpTo(noonMs);
    await app.deps.mail.sendDue();
    expect(smtp.taken).toHaveLength(1);
  });
});

describe("POST /admin/mail/test", () => {
  test("sends at once and answers with the line of the mail server", async () => {
    const answer = await post("/admin/mail/test", { to: "Ann@Example.org" });
    expect(await answer.json()).toEqual({ ok: true, response: "250 Message queued" });
    expect(smtp.taken[0]?.to).toEqual(["ann@example.org"]);
    expect(smtp.taken[0]?.raw).toContain("X-Sightline-Kind: test");
  });

  test("says at which stage the mail server refused", async () => {
    smtp.refuse = { to: () => [550, "5.1.1 unknown"] };
    const answer = await post("/admin/mail/test", { to: "ann@example.org" });
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      ...{ error: "MAIL_FAILED", stage: "to", response: "550 5.1.1 unknown" },
    });
  });

  test.each([
    "ann",
    "ann@example.org, bob@example.org",
    "ann @example.org",
    '"ann"@example.org',
    "ann@example.org\r\nBcc: x@y.example",
    `${"a".repeat(64)}@${`${"b".repeat(63)}.`.repeat(3)}c`,
  ])("takes one address: not %j", async (to) => {
    const answer = await post("/admin/mail/test", { to });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: "MISSING_FIELDS", field: "to" });
  });
});

test("without settings nothing is queued, and everything works without mail", async () => {
  const plain = await testApp();
  try {
    const headers = { cookie: plain.cookie, origin: own };
    expect((await plain.send("POST", "/account/revoke-key", { headers })).status).toBe(200);
    const told = await plain.send("GET", "/admin/mail", { headers });
    expect(await told.json()).toEqual({
      ...{ configured: false, missing: ["SMTP_HOST", "MAIL_FROM", "PUBLIC_URL"] },
      ...{ queued: 0, sent_24h: 0, failed_24h: 0, messages: [] },
    });
    const tried = await plain.send("POST", "/admin/mail/test", {
      ...{ headers, body: { to: "ann@example.org" } },
    });
    expect([tried.status, ((await tried.json()) as Json).error]).toEqual([
      ...[503, "MAIL_NOT_CONFIGURED"],
    ]);
  } finally {
    await plain.close();
  }
});
