import { expect } from "bun:test";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "./app";
import { enteredOfPeople, otherPassword } from "./audited-people";
import { committed, eventLines } from "./imports";
import { owner, type Person, password } from "./person";
import { recorded } from "./recording";
import { press, signIn, ask as startSignIn } from "./sign-in";

/** A text of a visitor, an id that somebody looks up, a value of a filter: no entry has it. */
export const marker = "visitor-marker";
export const passwords = [password, otherPassword];

let app: TestApp;
let ann: Person;
let shop: TestProject;
const network = {
  resolve: async () => ["93.184.216.34"],
  request: () => Promise.reject(new Error("nothing is read")),
  post: () => Promise.reject(new Error("nothing is sent")),
};

/** A server with an account that has a project with events of a visitor. */
export async function openChanges(): Promise<TestApp> {
  app = await testApp({ REGISTRATION: "open" }, network);
  ann = await owner(app);
  shop = await app.makeProject("shop");
  const properties = { text: marker, path: `/${marker}` };
  await app.track(shop, { event: marker, user_id: marker, session_id: marker, properties });
  const link = { token: shop.token, previous_id: `${marker}-2`, user_id: marker };
  await app.post("/identify", {
    ...link,
    traits: { name: marker },
    email: `${marker}@example.org`,
  });
  return app;
}
export const closeChanges = (): Promise<void> => app.close();

const filters = [{ field: "user_id", op: "eq", value: marker }];

/** Asks with the API key. The answer is a success, and its JSON is told. */
async function byKey(method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await app.send(method, path, {
    key: app.key,
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return path.startsWith("/export") ? {} : (JSON.parse(text) as Json);
}
async function byCookie(method: string, path: string, body?: Json, who = ann): Promise<Json> {
  const [status, answer] = await who.ask(method, path, body);
  expect([status, answer]).toEqual([status < 300 ? status : 200, answer]);
  return answer;
}
const known = new Map<string, string>();
const noteId = ({ id }: Json, name: string): void => void known.set(name, String(id));
const idOf = (name: string): string => known.get(name) ?? "";

export type Entered = readonly [
  name: string,
  actions: readonly string[],
  act: () => Promise<unknown>,
];

const blog = { name: "blog", domain: "blog.example.com" };
const projects: readonly Entered[] = [
  ["POST /projects", ["project_created"], () => byKey("POST", "/projects", blog)],
  ["POST /projects", [], () => byKey("POST", "/projects", blog)],
  [
    "PATCH /projects/{id}",
    ["project_changed"],
    () => byKey("PATCH", "/projects/shop", { timezone: "Asia/Tokyo" }),
  ],
  ["PATCH /projects/{id}", [], () => byKey("PATCH", "/projects/shop", { timezone: "Asia/Tokyo" })],
  [
    "PATCH /projects/{id}",
    ["retention_changed"],
    () => byKey("PATCH", "/projects/shop", { retention_days: 30 }),
  ],
  ["PATCH /projects/{id}", [], () => byKey("PATCH", "/projects/shop", { retention_days: 30 })],
  [
    "PUT /projects/{id}/exclusions",
    ["exclusions_changed"],
    () => byKey("PUT", "/projects/shop/exclusions", { ips: ["192.0.2.7/32"] }),
  ],
  [
    "PUT /projects/{id}/exclusions",
    [],
    () => byKey("PUT", "/projects/shop/exclusions", { ips: ["192.0.2.7/32"] }),
  ],
  [
    "PUT /trust",
    ["project_changed"],
    () => byKey("PUT", "/trust", { project: "shop", flagged: "mask", cleared: ["0123456789ab"] }),
  ],
  [
    "PUT /trust",
    [],
    () => byKey("PUT", "/trust", { project: "shop", flagged: "mask", cleared: ["0123456789ab"] }),
  ],
  [
    "POST /projects/{id}/sources",
    ["project_changed"],
    async () =>
      noteId(
        await byKey("POST", "/projects/shop/sources", { kind: "segment", key: "write-key-1" }),
        "source",
      ),
  ],
  [
    "DELETE /projects/{id}/sources/{source}",
    ["project_changed"],
    () => byKey("DELETE", `/projects/shop/sources/${idOf("source")}`),
  ],
  [
    "POST /identities/unlink",
    ["project_changed"],
    () => byKey("POST", "/identities/unlink", { project: "shop", previous_id: `${marker}-2` }),
  ],
  ["DELETE /projects/{id}", ["project_deleted"], () => byKey("DELETE", "/projects/blog")],
  [
    "POST /portfolios",
    ["account_changed"],
    async () =>
      noteId(
        await byKey("POST", "/portfolios", { slug: "all", name: "All", projects: ["shop"] }),
        "portfolio",
      ),
  ],
  [
    "PATCH /portfolios/{idOrSlug}",
    ["account_changed"],
    () => byKey("PATCH", "/portfolios/all", { name: "Both" }),
  ],
  ["PATCH /portfolios/{idOrSlug}", [], () => byKey("PATCH", "/portfolios/all", {})],
  ["DELETE /portfolios/{idOrSlug}", ["account_changed"], () => byKey("DELETE", "/portfolios/all")],
];

const visitors: readonly Entered[] = [
  [
    "POST /events/lookup",
    ["person_looked_up"],
    () => byKey("POST", "/events/lookup", { project: "shop", email: `${marker}@example.org` }),
  ],
  [
    "POST /events/lookup",
    [],
    () => byKey("POST", "/events/lookup", { project: "shop", user_id: marker }),
  ],
  [
    "POST /journey/lookup",
    ["person_looked_up"],
    () => byKey("POST", "/journey/lookup", { project: "shop", email: `${marker}@example.org` }),
  ],
  ["GET /export", ["data_exported"], () => byKey("GET", "/export?project=shop")],
  [
    "POST /imports/{id}/commit",
    ["data_imported"],
    async () => {
      const event = { event: marker, user_id: marker, timestamp: noonMs - 86_400_000 };
      known.set("import", await committed(app, shop, eventLines([event]), { kind: "events" }));
    },
  ],
  ["DELETE /imports/{id}", ["data_imported"], () => byKey("DELETE", `/imports/${idOf("import")}`)],
  [
    "POST /replays/enable",
    ["project_changed"],
    () => byKey("POST", "/replays/enable", { project: "shop" }),
  ],
  ["POST /replays/enable", [], () => byKey("POST", "/replays/enable", { project: "shop" })],
  [
    "PUT /replays/settings",
    ["project_changed"],
    () => byKey("PUT", "/replays/settings", { project: "shop", sample_rate: 0.5 }),
  ],
  [
    "POST /replays/{id}/open",
    ["replay_opened"],
    async () => {
      known.set("replay", await recorded(app, shop, marker));
      return byKey("POST", `/replays/${idOf("replay")}/open`);
    },
  ],
  [
    "GET /replays/{id}/timeline",
    ["replay_opened"],
    () => byKey("GET", `/replays/${idOf("replay")}/timeline`),
  ],
  [
    "GET /replays/{id}/timeline",
    [],
    () => byKey("GET", `/replays/${idOf("replay")}/timeline?after_ms=1`),
  ],
  [
    "DELETE /replays/{id}",
    ["project_changed"],
    () => byKey("DELETE", `/replays/${idOf("replay")}`),
  ],
  [
    "DELETE /replays",
    ["project_changed"],
    () => byKey("DELETE", `/replays?project=shop&session_id=${marker}`),
  ],
  [
    "POST /replays/disable",
    ["project_changed"],
    () => byKey("POST", "/replays/disable", { project: "shop" }),
  ],
];

const programs: readonly Entered[] = [
  [
    "POST /shares",
    ["share_made"],
    async () =>
      noteId(
        await byKey("POST", "/shares", { project: "shop", name: "for Bo", filters, password }),
        "share",
      ),
  ],
  ["DELETE /shares/{id}", ["share_revoked"], () => byKey("DELETE", `/shares/${idOf("share")}`)],
  [
    "POST /webhooks",
    ["webhook_made"],
    async () =>
      noteId(
        await byKey("POST", "/webhooks", {
          name: "chat",
          kind: "signed",
          url: "https://hooks.example.com/a",
        }),
        "webhook",
      ),
  ],
  [
    "PATCH /webhooks/{id}",
    ["webhook_changed"],
    () => byKey("PATCH", `/webhooks/${idOf("webhook")}`, { enabled: false }),
  ],
  ["PATCH /webhooks/{id}", [], () => byKey("PATCH", `/webhooks/${idOf("webhook")}`, {})],
  [
    "POST /webhooks/{id}/rotate",
    ["webhook_changed"],
    () => byKey("POST", `/webhooks/${idOf("webhook")}/rotate`),
  ],
  [
    "DELETE /webhooks/{id}",
    ["webhook_deleted"],
    () => byKey("DELETE", `/webhooks/${idOf("webhook")}`),
  ],
  [
    "POST /alerts",
    ["alert_made"],
    async () => {
      const { user } = await byCookie("GET", "/account");
      const to = [String((user as Json).id)];
      const made = {
        project: "shop",
        name: "none",
        kind: "goal",
        event: marker,
        count: 1,
        per: "day",
      };
      noteId(await byKey("POST", "/alerts", { ...made, filters, to }), "alert");
    },
  ],
  [
    "PATCH /alerts/{id}",
    ["alert_changed"],
    () => byKey("PATCH", `/alerts/${idOf("alert")}`, { count: 2 }),
  ],
  ["PATCH /alerts/{id}", [], () => byKey("PATCH", `/alerts/${idOf("alert")}`, {})],
  ["DELETE /alerts/{id}", ["alert_deleted"], () => byKey("DELETE", `/alerts/${idOf("alert")}`)],
  [
    "POST /agent-sessions/authorize/{id}/approve",
    ["agent_approved"],
    async () => expect((await press(app, await startSignIn(app), "approve")).status).toBe(302),
  ],
  [
    "POST /agent-sessions/revoke",
    ["agent_approved", "agent_revoked"],
    async () => {
      const { id } = await signIn(app);
      await byKey("POST", "/agent-sessions/revoke", { session_id: id });
      await byKey("POST", "/agent-sessions/revoke", { session_id: id });
    },
  ],
];

/** Operations in an order in which each finds what it changes, with the entries that each makes. */
export const entered: readonly Entered[] = [
  ...[...projects, ...visitors, ...programs],
  ...enteredOfPeople({ app: () => app, ann: () => ann, byKey, byCookie, noteId, idOf, known }),
];
