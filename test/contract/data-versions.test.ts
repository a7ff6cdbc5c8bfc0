import { afterAll, beforeAll, expect, test } from "bun:test";
import type { OperationName } from "../../src/http/operation/facts";
import {
  type Json,
  type TestApp,
  type TestProject,
  testApp,
  visitorAgent,
} from "../support/app/app";
import { committed, eventLines } from "../support/app/imports";
import { onEach } from "../support/engine/opened-engine";

/** Whatever changes what reads show makes the version of the project and that of its account grow. */
let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterAll(() => app.close());

const project = "shop";
const send = async (method: string, path: string, body?: Json): Promise<Json> => {
  const headers = { "user-agent": visitorAgent };
  const answer = await app.send(method, path, { key: app.key, headers, ...(body && { body }) });
  expect([method, path, answer.status < 300]).toEqual([method, path, true]);
  return (await answer.json()) as Json;
};
const ids = new Map<string, string>();
const idOf = (what: string): string => ids.get(what) ?? "";
const annotation = { occurred_at: "2026-01-10T09:00:00Z", title: "Launch" };

/** What each write needs, in an order in which all succeed. */
const writes: Readonly<Partial<Record<OperationName, () => Promise<unknown>>>> = {
  "POST /track": () => send("POST", "/track", { token: shop.token, event: "a", user_id: "x" }),
  "POST /track/batch": () => app.track(shop, { event: "b", user_id: "y" }),
  "POST /identify": () =>
    send("POST", "/identify", { token: shop.token, previous_id: "x", user_id: "y" }),
  "POST /identities/unlink": () =>
    send("POST", "/identities/unlink", { project, previous_id: "x" }),
  "POST /projects/{id}/test-event": () => send("POST", `/projects/${shop.id}/test-event`, {}),
  "PUT /trust": () => send("PUT", "/trust", { project, flagged: "mask" }),
  "PATCH /projects/{id}": () => send("PATCH", `/projects/${shop.id}`, { timezone: "Asia/Tokyo" }),
  "PUT /project-context": () => send("PUT", "/project-context", { project, goals: ["Grow"] }),
  "POST /project-context/annotations": async () => {
    const asked = { project, ...annotation };
    const made = await send("POST", "/project-context/annotations", asked);
    ids.set("annotation", String((made.annotation as Json).id));
  },
  "PATCH /project-context/annotations/{id}": () =>
    send("PATCH", `/project-context/annotations/${idOf("annotation")}`, { title: "Start" }),
  "DELETE /project-context/annotations/{id}": () =>
    send("DELETE", `/project-context/annotations/${idOf("annotation")}`),
  "POST /imports/{id}/commit": async () => {
    const file = eventLines([{ event: "c", timestamp: 0 }]);
    ids.set("import", await committed(app, shop, file));
  },
  "DELETE /imports/{id}": () => send("DELETE", `/imports/${idOf("import")}`),
  "POST /goals": async () => {
    const made = await send("POST", "/goals", { project, name: "Order", event: "buy" });
    ids.set("goal", String(made.id));
  },
  "PATCH /goals/{id}": () => send("PATCH", `/goals/${idOf("goal")}`, { page: "/thanks" }),
  "DELETE /goals/{id}": () => send("DELETE", `/goals/${idOf("goal")}`),
  "POST /experiments": async () => {
    const hero = { project, name: "hero", variants: ["a", "b"], goal_event: "a" };
    ids.set("experiment", String((await send("POST", "/experiments", hero)).id));
  },
  "PATCH /experiments/{id}": () =>
    send("PATCH", `/experiments/${idOf("experiment")}`, { status: "paused" }),
  "DELETE /experiments/{id}": () => send("DELETE", `/experiments/${idOf("experiment")}`),
  "POST /people/erase": async () => {
    const { confirm } = await send("POST", "/people/erase", { project, user_id: "y" });
    await send("POST", "/people/erase", { project, user_id: "y", dry_run: false, confirm });
  },
};

/** Writes after which reads of the project show the same, and those of recordings, which have tests of their own. */
const others: readonly string[] = [
  ...["PUT /portfolio-context", "POST /portfolios", "PATCH /portfolios/{idOrSlug}"],
  ...["DELETE /portfolios/{idOrSlug}", "POST /projects", "DELETE /projects/{id}"],
  ...["POST /replays/ingest/start", "POST /replays/ingest/{id}/segments"],
  ...["POST /replays/ingest/{id}/finish", "DELETE /replays", "DELETE /replays/{id}"],
  ...["PUT /replays/settings", "POST /replays/enable", "POST /replays/disable"],
  ...["POST /replays/{id}/open", "POST /projects/{id}/sources"],
  ...["DELETE /projects/{id}/sources/{source}", "PUT /projects/{id}/exclusions"],
  ...["POST /imports", "PUT /imports/{id}/data", "POST /imports/{id}/check"],
  "POST /people/export",
];
/** They belong to an account, to its sign-ins, or to nobody: no read of numbers shows them. */
const notOfProjects = new RegExp(
  `^\\w+ /(${[
    ...["account", "admin", "agent-sessions", "alerts", "auth", "billing", "cli", "confirm"],
    ...["demo", "mcp", "reports"],
    ...["members", "oauth", "share", "shares", "unsubscribe", "views", "webhooks", "website-scans"],
  ].join("|")})\\b`,
);

test("every operation that writes is tried here, or said to change nothing that reads show", () => {
  const writing = app.operations
    .filter(({ name, rule }) => !name.startsWith("GET ") && !rule.read)
    .map(({ name }): string => name)
    .filter((name) => !notOfProjects.test(name));
  expect(writing.sort()).toEqual([...Object.keys(writes), ...others].sort());
});

/** ClickHouse takes no imports, and says so. */
const ofOwnEngine: readonly string[] = ["POST /imports/{id}/commit", "DELETE /imports/{id}"];
const tried = Object.entries(writes).filter(([name]) => onEach(true, !ofOwnEngine.includes(name)));

test("an import begins, or is refused by a store that takes none", async () => {
  const body = { project, size: 1, sha256: "a".repeat(64) };
  const answer = await app.send("POST", "/imports", { key: app.key, body });
  const { error } = (await answer.json()) as Json;
  expect([answer.status, error]).toEqual(onEach([201, undefined], [501, "NOT_ON_THIS_STORE"]));
});

test.each(tried)("%s makes both versions grow", async (name, write) => {
  const versionOf = async (path: string): Promise<number> => {
    const { headers } = await app.send("GET", path, { key: app.key });
    return Number(headers.get("x-data-version"));
  };
  const versions = async () => [
    await versionOf("/stats?project=shop"),
    await versionOf("/account/all-sites"),
  ];
  const before = await versions();
  await write?.();
  const after = await versions();
  expect([name, ...after.map((version, at) => version > (before[at] ?? 0))]).toEqual([
    ...[name, true, true],
  ]);
});
