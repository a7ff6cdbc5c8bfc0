import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type Json, type TestApp, testApp } from "../support/app/app";
import {
  ask,
  bearer,
  codeOf,
  exchange,
  newVerifier,
  poll,
  press,
  type SignedIn,
  seePage,
} from "../support/app/sign-in";
import { formsOf, tracesIn, tracesInFiles, tracesInValues } from "../support/server/traces";

let app: TestApp;
/** Every secret that was handed out or sent, by what it is. */
const secrets = new Map<string, string>();
/** What was answered with an error, and what `/metrics` says. */
const answers: string[] = [];
beforeAll(async () => {
  app = await testApp({ METRICS_TOKEN: "metrics-token-of-the-tests" });
  secrets.set("metrics token", "metrics-token-of-the-tests");
  secrets.set("API key", app.key);
  secrets.set("cookie", app.cookie.split("=")[1] ?? "");
  secrets.set("password", "correct horse battery");
  secrets.set("set-up token", app.deps.server.setupToken);
  await signInAndOut();
  await misuse();
});
afterAll(() => app.close());

async function signInAndOut(): Promise<void> {
  const { verifier, challenge } = newVerifier();
  secrets.set("verifier", verifier);
  const asked = await ask(app, { mode: "detached", code_challenge: challenge });
  secrets.set("poll token", asked.poll_token);
  await press(app, asked, "approve");
  const code = codeOf(app, asked);
  secrets.set("used exchange code", code);
  const answer = await exchange(app, asked, code, { code_verifier: verifier });
  const { agent_session: session } = (await answer.json()) as { agent_session: SignedIn };
  secrets.set("first access token", session.access_token);
  secrets.set("refresh token", session.refresh_token);
  const { refresh_token } = session;
  const more = await app.send("POST", "/agent-sessions/refresh", { body: { refresh_token } });
  const { agent_session: second } = (await more.json()) as { agent_session: SignedIn };
  secrets.set("second access token", second.access_token);
  await app.send("GET", "/account", bearer(session));
  await seePage(app, asked);
  await app.send("POST", "/agent-sessions/revoke", bearer(second, { session_id: second.id }));
  const waiting = await ask(app, { mode: "detached" });
  await press(app, waiting, "approve");
  secrets.set("waiting exchange code", codeOf(app, waiting));
}

/** Each secret where it does not belong: in paths, queries, headers and bodies, and where it is refused. */
async function misuse(): Promise<void> {
  for (const secret of secrets.values()) {
    const json: Json = {
      auth_request_id: secret,
      exchange_code: secret,
      code_verifier: secret,
      poll_token: secret,
      refresh_token: secret,
      session_id: secret,
      project: secret,
      client_type: secret,
      callback_url: secret,
      code_challenge: secret,
      scopes: [secret],
      mode: secret,
    };
    const calls = [
      ...["start", "poll", "exchange", "refresh", "revoke"].map((one) => [
        "POST",
        `/agent-sessions/${one}`,
      ]),
      ["GET", `/agent-sessions/authorize/${encodeURIComponent(secret)}`],
      ["POST", `/agent-sessions/authorize/${encodeURIComponent(secret)}/approve`],
      ["GET", `/projects/${encodeURIComponent(secret)}`],
      ["GET", `/stats?project=${encodeURIComponent(secret)}`],
      ["GET", `/account?key=${encodeURIComponent(secret)}x`],
      ["POST", "/query"],
    ] as const;
    for (const [method = "", path = ""] of calls) {
      for (const headers of [
        {},
        { authorization: `Bearer ${secret}` },
        { "x-api-key": app.key },
      ] as readonly Record<string, string>[]) {
        const body = method === "GET" ? {} : { body: json };
        const answer = await app.send(method, path, { headers, ...body });
        answers.push(`${answer.status} ${await answer.text()}`);
      }
    }
  }
  const authorization = "Bearer metrics-token-of-the-tests";
  const metrics = await app.send("GET", "/metrics", { headers: { authorization } });
  answers.push(await metrics.text());
  const wrong = await poll(app, await ask(app), String(secrets.get("poll token")));
  answers.push(await wrong.text());
}

test("no secret is in the log, in an error or in the metrics", () => {
  expect(app.logged.length).toBeGreaterThan(100);
  const errors = answers.filter((text) => !text.startsWith("2"));
  expect(errors.length).toBeGreaterThan(100);
  expect(answers.some((text) => text.includes("sightline_http_requests_total"))).toBe(true);
  for (const [name, secret] of secrets) {
    const forms = formsOf(secret);
    expect([name, tracesIn(app.logged.join("\n"), forms, "log")]).toEqual([name, []]);
    expect([name, tracesIn(answers.join("\n"), forms, "answers")]).toEqual([name, []]);
  }
});

test("no secret is in a file, not even the code that waits to be used", async () => {
  const { db } = app.deps.control;
  db.run("pragma wal_checkpoint(passive)");
  for (const [name, secret] of secrets) {
    const forms = formsOf(secret);
    const found = [
      ...tracesInFiles(app.dataDir, forms),
      ...tracesInValues(join(app.dataDir, "control.db"), forms),
    ];
    expect([name, found]).toEqual([name, []]);
  }
  // The search does find what is there: whom the sessions belong to.
  expect(tracesInFiles(app.dataDir, formsOf("owner@example.com")).length).toBeGreaterThan(0);
});
