import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import {
  authorizePath,
  loopback,
  newPkce,
  registered,
  token,
} from "../../../test/support/app/oauth";
import {
  type Asked,
  ask,
  bearer,
  browser,
  codeOf,
  exchange,
  type SignedIn,
  seePage,
  textSeen,
} from "../../../test/support/app/sign-in";
import { clock } from "../../lib/clock";
import { member } from "../../store/control/member-tables";

/** A person who owns an account and is a viewer of the team's, without single visitors. */
let app: TestApp;
let cookie = "";
let own = "";
let team = "";

beforeAll(async () => {
  app = await testApp({ REGISTRATION: "open" });
  app.setTime(noonMs);
  const body = { email: "both@example.com", password: "correct horse battery" };
  const made = await app.send("POST", "/auth/signup", { body });
  cookie = (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const account = (await (await app.send("GET", "/account", { headers: { cookie } })).json()) as {
    id: string;
    user: { id: string };
  };
  own = account.id;
  team = String((await app.get("/account")).id);
  await app.send("PATCH", "/account", {
    headers: browser(app),
    body: { name: "Team <b>" },
  });
  const standing = { role: "viewer", projects: null, people: false } as const;
  app.deps.control.write(() => {
    const row = { accountId: team, personId: account.user.id, joinedAtMs: clock.nowMs() };
    app.deps.control.db
      .insert(member)
      .values({ ...row, ...standing })
      .run();
  });
  await app.send("POST", "/projects", {
    key: app.key,
    body: { name: "shop", domain: "shop.example.com" },
  });
});
afterAll(() => app.close());

const see = (path: string) => app.send("GET", path, { headers: browser(app, cookie) });

/** Presses a button of the page as it is written there: the form says where it goes. */
async function pressOn(html: string, button: "approve" | "deny"): Promise<Response> {
  const path = new RegExp(`action="([^"]+/${button}[^"]*)"`).exec(html)?.[1] ?? "";
  return app.send("POST", path, { headers: browser(app, cookie), body: "" });
}

async function approvedIn(asked: Asked, query: string): Promise<SignedIn> {
  const html = await (
    await see(`/agent-sessions/authorize/${asked.auth_request_id}${query}`)
  ).text();
  await pressOn(html, "approve");
  const answer = await exchange(app, asked, codeOf(app, asked));
  return ((await answer.json()) as { agent_session: SignedIn }).agent_session;
}

test("the page names the account, and links to the person's others", async () => {
  const asked = await ask(app);
  const html = await (await seePage(app, asked, cookie)).text();
  expect(html).toContain("<dt>Account</dt><dd><bdi>both@example.com</bdi></dd>");
  expect(html).toContain(`<a href="?account=${team}"><bdi>Team &lt;b&gt;</bdi></a> (viewer)`);
  expect(html).not.toContain("account-limit");
  const inTeam = `/agent-sessions/authorize/${asked.auth_request_id}?account=${team}`;
  expect(await (await see(inTeam)).text()).toContain(`<a href="?account=${own}">`);
  const text = await textSeen(await see(inTeam));
  expect(text).toContain("Account Team &lt;b&gt; You both@example.com");
  expect(text).toContain("You are a viewer of this account");
  expect(text).toContain(
    "so the program can do no more than a viewer can: it does not see single visitors.",
  );
});

test("a person with one account sees no choice", async () => {
  expect(await (await seePage(app, await ask(app))).text()).not.toContain("account-choice");
});

test("the session acts in the account that was chosen, with the scopes and the role there", async () => {
  const scopes = ["account:read", "projects:write", "analytics:read"];
  const inTeam = await approvedIn(await ask(app, { mode: "detached", scopes }), `?account=${team}`);
  const seen = async (session: SignedIn, path: string, method = "GET", body?: Json) =>
    app.send(method, path, bearer(session, body));
  expect(await (await seen(inTeam, "/account")).json()).toMatchObject({ id: team, role: "viewer" });
  const shop = { name: "more", domain: "more.example.com" };
  const refused = await seen(inTeam, "/projects", "POST", shop);
  expect([refused.status, await refused.json()]).toMatchObject([403, { required: "editor" }]);
  const people = await seen(inTeam, "/events?project=shop&since=7d");
  expect([people.status, await people.json()]).toMatchObject([403, { required: "people" }]);

  const inOwn = await approvedIn(await ask(app, { mode: "detached", scopes }), "");
  expect(await (await seen(inOwn, "/account")).json()).toMatchObject({ id: own, role: "owner" });
  expect((await seen(inOwn, "/projects", "POST", shop)).status).toBe(201);
});

test("a client of OAuth gets the account that was chosen on the same page", async () => {
  const pkce = newPkce();
  const clientId = await registered(app);
  const asked = await app.send("GET", authorizePath(clientId, pkce));
  const page = new URL(asked.headers.get("location") ?? "").pathname;
  const html = await (await see(`${page}?account=${team}`)).text();
  const back = new URL((await pressOn(html, "approve")).headers.get("location") ?? "");
  const answer = await token(app, {
    ...{ grant_type: "authorization_code", client_id: clientId, redirect_uri: loopback },
    ...{ code: back.searchParams.get("code") ?? "", code_verifier: pkce.verifier },
  });
  expect(answer.status).toBe(200);
  const headers = { ...browser(app, cookie), "x-account": team };
  const list = await app.send("GET", "/account/agent-sessions", { headers });
  const { sessions } = (await list.json()) as { sessions: readonly Json[] };
  expect(sessions.map((one) => one.client_name)).toContain("Tester");
});

test("a finish code is shown again to its person, whichever account the address names", async () => {
  const asked = await ask(app, { mode: "detached" });
  const path = `/agent-sessions/authorize/${asked.auth_request_id}`;
  await pressOn(await (await see(`${path}?account=${team}`)).text(), "approve");
  expect(await (await see(path)).text()).toContain(codeOf(app, asked));
  // Another member of that account is somebody else.
  expect(await (await seePage(app, asked)).text()).not.toContain(codeOf(app, asked));
});

test("nobody approves for an account of others, nor for the own one by mistake", async () => {
  const asked = await ask(app);
  const path = `/agent-sessions/authorize/${asked.auth_request_id}`;
  for (const id of ["acc_0000000000000000", "x"]) {
    expect((await see(`${path}?account=${id}`)).status).toBe(403);
  }
  const html = await (await see(`${path}?account=${team}`)).text();
  const { control } = app.deps;
  const had = control.credentials.holderOfSessionIn;
  Object.assign(control.credentials, { holderOfSessionIn: () => undefined });
  expect((await pressOn(html, "approve")).status).toBe(403);
  Object.assign(control.credentials, { holderOfSessionIn: had });
});
