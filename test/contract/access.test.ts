import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { identifyCaller } from "../../src/http/auth/caller";
import { type AccessRule, hasAccount, splitName } from "../../src/http/operation/facts";
import { type Call, type TestApp, testApp } from "../support/app/app";
import { endpointIndex, htmlOperations } from "../support/app/operations";

let app: TestApp;
let free: { readonly key: string; readonly cookie: string };
beforeAll(async () => {
  app = await testApp({ RATE_LIMIT_RPM: "0", DEFAULT_TIER: "free", REGISTRATION: "open" });
  free = await signUp("free@example.com");
});
afterAll(() => app.close());

const own = "http://localhost:3000";

async function signUp(email: string) {
  const made = await app.send("POST", "/auth/signup", {
    body: { email, password: "correct horse battery" },
    from: "198.51.100.1",
  });
  const cookie = (made.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const answer = await app.send("POST", "/account/api-key", { headers: { cookie, origin: own } });
  return { key: String(((await answer.json()) as { api_key: string }).api_key), cookie };
}

/** What is mounted of the index and looks at an account. */
function accountOperations(): readonly (AccessRule & {
  readonly name: string;
  readonly path: string;
})[] {
  const mounted = new Set<string>(app.operations.map(({ name }) => name));
  const found = Object.entries(endpointIndex).flatMap(([name, operation]: [string, AccessRule]) =>
    // A page asks its visitors to log in instead; who is a program is told by headers alone (mcp.test.ts).
    mounted.has(name) &&
    hasAccount(operation.access) &&
    operation.access !== "program" &&
    !isPage(name)
      ? [{ ...operation, name, path: splitName(name).path.replace(/\{\w+\}/, "proj_x") }]
      : [],
  );
  expect(found.length).toBeGreaterThan(15);
  return found;
}

const isPage = (name: string): boolean => name.startsWith("GET ") && htmlOperations.has(name);

async function refusal(name: string, path: string, call: Call): Promise<string> {
  const { method } = splitName(name);
  const answer = await app.send(method, path, call);
  const { error, reason } = (await answer.json()) as { error?: string; reason?: string };
  return [answer.status, error, reason].filter((part) => part !== undefined).join(" ");
}

describe("every operation of an account", () => {
  test("asks for a credential", async () => {
    for (const { name, path, access } of accountOperations()) {
      // Operations with an optional credential are answered without one too.
      if (access === "optional") continue;
      expect([name, await refusal(name, path, {})]).toEqual([name, "401 AUTH_REQUIRED"]);
    }
  });

  test("refuses a wrong one wherever it is sent, and looks no further than the first", async () => {
    const wrong: readonly Call[] = [
      { headers: { authorization: "Bearer aas_unknown" } },
      { headers: { authorization: "Bearer aas_unknown" }, key: app.key },
      { headers: { authorization: `Bearer ${app.key}` } },
      { key: "aak_unknown" },
      { key: "" },
      { key: "aak_unknown", headers: { cookie: app.cookie, origin: own } },
      { headers: { cookie: "sl_session=unknown" } },
    ];
    for (const { name, path } of accountOperations()) {
      for (const call of wrong) {
        const got = await refusal(name, path, call);
        expect([name, call, got]).toEqual([name, call, "401 INVALID_TOKEN"]);
      }
      const inQuery = await refusal(name, `${path}?key=aak_unknown`, {
        headers: { cookie: app.cookie },
      });
      expect([name, inQuery]).toEqual([name, "401 INVALID_TOKEN"]);
    }
  });

  test("says how to get a valid one", async () => {
    const messageOf = async (call: Call): Promise<string> => {
      const answer = await app.send("GET", "/account", call);
      return ((await answer.json()) as { message: string }).message;
    };
    expect(await messageOf({ key: "aak_unknown" })).toEndWith("in the settings of your account.");
    const authorization = "Bearer aas_unknown";
    expect(await messageOf({ headers: { authorization } })).toEndWith("Sign in again.");
  });

  test("with a cookie changes something only for a page of ours", async () => {
    for (const { name, path } of accountOperations()) {
      // A stream changes nothing, but takes one of the account's places.
      const isGuarded = !name.startsWith("GET ") || name === "GET /stream";
      for (const origin of [undefined, "https://evil.example", "null"]) {
        const headers = { cookie: app.cookie, ...(origin === undefined ? {} : { origin }) };
        const got = await refusal(name, path, { headers });
        expect([name, origin, got === "403 CSRF_FAILED"]).toEqual([name, origin, isGuarded]);
      }
    }
  });

  test("that is for a person at the dashboard refuses a key", async () => {
    for (const { name, path, access } of accountOperations()) {
      if (name === "POST /account/revoke-key") continue;
      const got = await refusal(name, path, { key: app.key, body: undefined });
      const isForPeople = access === "cookie" || access === "admin";
      expect([name, got === "403 FORBIDDEN"]).toEqual([name, isForPeople]);
    }
  });

  test("takes the key from the query string too", async () => {
    expect(await refusal("GET /projects", `/projects?key=${app.key}`, {})).toBe("200");
  });
});

describe("on the Free plan", () => {
  test("operations of Pro are refused, all others are not", async () => {
    for (const { name, path, plan, access } of accountOperations()) {
      if (access === "cookie" || access === "key") continue;
      const got = await refusal(name, path, { key: free.key });
      expect([name, got === "403 PRO_REQUIRED plan"]).toEqual([name, plan === "pro"]);
    }
    const answer = await app.send("POST", "/query", { key: free.key });
    expect(await answer.json()).toMatchObject({
      error: "PRO_REQUIRED",
      reason: "plan",
      upgrade_url: `${own}/account/billing`,
    });
  });

  test("there are two projects", async () => {
    const make = (name: string) =>
      app.send("POST", "/projects", {
        key: free.key,
        body: { name, domain: `${name}.example.org` },
      });
    expect([(await make("one")).status, (await make("two")).status]).toEqual([201, 201]);
    const third = await make("three");
    expect([third.status, await third.json()]).toMatchObject([403, { reason: "project_limit" }]);
    expect((await make("two")).status).toBe(200);
  });

  test("there are 500 reads a month, told by headers; the dashboard's are free", async () => {
    const reader = await signUp("reader@example.com");
    await app.send("POST", "/projects", {
      key: reader.key,
      body: { name: "one", domain: "one.example.net" },
    });
    const read = (call: Call) => app.send("GET", "/stats?project=one", call);
    const asked = new Request(own, { headers: { "x-api-key": reader.key } });
    const caller = identifyCaller(app.deps, asked);
    if (caller === null) throw new Error("The key is known.");
    for (let count = 1; count <= 500; count++) {
      // Those between the first and the last ones are counted only.
      if (count === 21) {
        app.deps.usage.countRead(caller, null, 460);
        count += 460;
      }
      const answer = await read({ key: reader.key });
      const told = [answer.status, answer.headers.get("x-monthly-reads")];
      if (String(told) !== `200,${count}`) expect(told).toEqual([200, String(count)]);
    }
    const refused = await read({ key: reader.key });
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { error: "PRO_REQUIRED", reason: "read_cap", upgrade_url: `${own}/account/billing` },
    ]);
    expect(refused.headers.get("x-monthly-reads")).toBe("500");
    expect(refused.headers.get("x-monthly-reads-limit")).toBe("500");
    expect(refused.headers.get("x-monthly-limit")).toBe("100000");
    expect(refused.headers.get("x-monthly-usage-percent")).toBe("0");
    // A field that is wrong is told before the cap.
    const wrong = await app.send("GET", "/stats?project=one&groupBy=year", { key: reader.key });
    expect(wrong.status).toBe(400);
    const seen = await read({ headers: { cookie: reader.cookie } });
    expect([seen.status, seen.headers.get("x-monthly-reads")]).toEqual([200, null]);
    app.setTime(Date.UTC(2026, 1, 1));
    expect((await read({ key: reader.key })).status).toBe(200);
    app.setTime(Date.UTC(2026, 0, 14, 12));
  });
});

test("reads, and nothing else, carry the usage of the month", async () => {
  await app.makeProject("shop");
  for (const { name, path, read, access } of accountOperations()) {
    if (access === "cookie" || access === "key") continue;
    const { method } = splitName(name);
    const answer = await app.send(method, path, { key: app.key });
    expect([name, answer.headers.has("x-monthly-usage")]).toEqual([name, read]);
  }
});

test("each read counts once, and none that is refused", async () => {
  await app.makeProject("counted");
  const used = async () => {
    const { usage } = (await app.get("/account")) as { usage: { reads: number } };
    return usage.reads;
  };
  const of = { project: "counted" };
  const bodies: Readonly<Record<string, object>> = {
    "POST /query": of,
    "POST /paths": { ...of, goal_event: "pay" },
    "POST /funnel": { ...of, steps: ["visit", "pay"] },
    "POST /events": { ...of, user_id: "u" },
    "POST /events/lookup": { ...of, user_id: "u" },
    "POST /journey": { ...of, user_id: "u" },
    "POST /journey/lookup": { ...of, user_id: "u" },
  };
  const queries: Readonly<Record<string, string>> = {
    "GET /breakdown": "property=path",
    "GET /journey": "user_id=u",
  };
  const variants = ["a", "b"];
  const hero = { ...of, name: "hero", variants, goal_event: "pay" };
  const { id } = (await app.post("/experiments", hero)) as { readonly id?: string };
  const paths: Readonly<Record<string, string>> = {
    "GET /experiments/{id}": `/experiments/${id}`,
  };
  // What becomes a socket is tested with its own feature.
  const reads = accountOperations().filter(({ name, read }) => read && name !== "GET /live/ws");
  for (const { name, path } of reads) {
    const { method } = splitName(name);
    const send = (fields: string, body: object | undefined, to = path) =>
      app.send(method, method === "GET" ? `${to}?${fields}` : to, {
        key: app.key,
        ...(body === undefined ? {} : { body }),
      });
    const before = await used();
    const refused = await send("project=nowhere&period=never&since=never", { project: "nowhere" });
    expect([name, refused.status >= 400, await used()]).toEqual([name, true, before]);
    const body = method === "GET" ? undefined : bodies[name];
    const project = /^\/account|\{id\}/.test(splitName(name).path) ? "" : "project=counted";
    const fields = [project, queries[name] ?? ""].filter((part) => part !== "").join("&");
    const answered = await send(fields, body, paths[name]);
    expect([name, answered.status, await used()]).toEqual([name, 200, before + 1]);
  }
});
