import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { hourMs, minuteMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { approveInBrowser, Login, type Sdk, type SdkClient, sdks } from "../support/app/mcp-sdk";
import { documentId, documentOf, documentSite } from "../support/app/oauth";
import { cases } from "../support/random/cases";
import { freePort } from "../support/server/server";

/** The protocol's own clients, which are written by others, over HTTP as they are used. */
let app: TestApp;
let url: string;
const site = documentSite({ [documentId]: () => documentOf() });
beforeAll(async () => {
  const port = freePort();
  const origin = `http://localhost:${port}`;
  app = await testApp({ PUBLIC_URL: origin }, site.network);
  expect(app.listen(port)).toBe(origin);
  url = `${origin}/mcp`;
  const shop = await app.makeProject("shop");
  await app.track(shop, { event: "visit", session_id: "s", user_id: "u" });
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

/** What the work fails with. */
async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return null;
}

/** Tries to connect, is sent to a person, and connects with what came of it. */
async function signIn(sdk: Sdk, login: Login): Promise<SdkClient> {
  const refused = await failureOf(() => sdk.connect(url, login));
  expect(sdk.isUnauthorized(refused)).toBe(true);
  await sdk.finish(url, login, await approveInBrowser(app, login));
  return sdk.connect(url, login);
}

const overview = (client: SdkClient) => client.call("overview", { project: "shop" });
const isAnswered = { structuredContent: { answer: { project: "shop" } } };

async function revokeAll(): Promise<void> {
  const { sessions } = await app.get("/account/agent-sessions");
  for (const { id, status } of sessions as Json[]) {
    if (status === "active") await app.post("/agent-sessions/revoke", { session_id: id });
  }
}

for (const sdk of sdks) {
  for (const way of ["registration", "a document"] as const) {
    describe(`SDK ${sdk.name}, by ${way}`, () => {
      const newLogin = () => (way === "registration" ? new Login() : new Login(documentId));

      test("signs in, lists the tools and calls one", async () => {
        const login = newLogin();
        const client = await signIn(sdk, login);
        expect(client.version()).toBe(sdk.revision);
        expect(login.client?.client_id).toMatch(way === "registration" ? /^occ_/ : /^https:/);
        expect(login.openedUrl?.searchParams.get("resource")).toBe(url);
        const names = await client.toolNames();
        expect(names).toContain("overview");
        expect(names).not.toContain("create_project");
        expect(await overview(client)).toMatchObject(isAnswered);
        await client.close();
      });

      test("refreshes in parallel, hour after hour", async () => {
        const login = newLogin();
        // One call each: SDK 1.x gives up a call that is refused just when another of the same client has signed in.
        const clients = [await signIn(sdk, login)];
        while (clients.length < 4) clients.push(await sdk.connect(url, login));
        for (const hours of cases([1, 2], [1, 2, 3])) {
          app.setTime(noonMs + hours * (hourMs + minuteMs));
          const saves = login.saves;
          const answers = await Promise.all(clients.map(overview));
          for (const told of answers) expect(told).toMatchObject(isAnswered);
          // All had asked with the token that had run out, so that several refreshed.
          expect(login.saves).toBeGreaterThan(saves + 1);
        }
        for (const client of clients) await client.close();
      });

      test("asks a person again when its session was revoked, and goes on", async () => {
        const login = newLogin();
        const client = await signIn(sdk, login);
        await revokeAll();
        login.openedUrl = null;
        expect(sdk.isUnauthorized(await failureOf(() => overview(client)))).toBe(true);
        expect(login.openedUrl).not.toBeNull();
        await sdk.finish(url, login, await approveInBrowser(app, login));
        expect(await overview(client)).toMatchObject(isAnswered);
        await client.close();
      });
    });
  }
}
