import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { handshake, Sockets } from "../../../test/support/app/live-socket";
import { ownerOf } from "../../../test/support/app/owner";
import { Connection, requestText } from "../../../test/support/server/connection";
import { socketMessageBytesMax } from "../../domain/limits";
import { account } from "../../store/control/tables";
import { liveInactivityMs } from "./authorization";
import { liveConnectionsMax, socketsUnknownPerNetworkMax } from "./connections";
import { socketAuthMs } from "./live-socket";

let app: TestApp;
let origin: string;
beforeAll(async () => {
  app = await testApp();
  origin = app.listen();
  await app.makeProject("first");
});
afterAll(() => app.close());

const sockets = new Sockets(() => app);
const open = sockets.open.bind(sockets);
const refusal = sockets.refusal.bind(sockets);
afterEach(() => sockets.close());

let made = 0;
const makeProject = () => app.makeProject(`p${++made}`);

const key = () => ({ "x-api-key": app.key });
const sessionOf = (scopes: readonly string[]): string =>
  app.deps.control.agents.addSession(
    { ...ownerOf(app.deps.control, accountId()), scopes: [...scopes], clientType: "cli" },
    noonMs,
  ).accessToken;
const accountId = (): string =>
  app.deps.control.db.select({ id: account.id }).from(account).get()?.id ?? "";

describe("who may open one", () => {
  test("is decided before the upgrade when the request has a credential", async () => {
    expect(await refusal("", { "x-api-key": "aak_x" })).toEqual([401, "INVALID_TOKEN"]);
    expect(await refusal("project=nowhere", key())).toEqual([404, "NOT_FOUND"]);
    expect(await refusal("filter=x", key())).toEqual([400, "MISSING_FIELDS"]);
    expect(await refusal("filter=x", {})).toEqual([400, "MISSING_FIELDS"]);
    const weak = { authorization: `Bearer ${sessionOf(["analytics:read"])}` };
    expect(await refusal("", weak)).toEqual([403, "FORBIDDEN"]);
    const plain = await app.send("GET", "/live/ws", { key: app.key });
    expect([plain.status, await plain.json()]).toMatchObject([400, { field: "Upgrade" }]);
    const nobody = await app.send("GET", "/live/ws");
    expect(nobody.status).toBe(401);
  });

  test("are an API key, also in the query, an agent session, and the dashboard's own pages", async () => {
    for (const [query, headers] of [
      ["", key()],
      [`key=${app.key}`, {}],
      ["", { authorization: `Bearer ${sessionOf(["live:read"])}` }],
      ["", { cookie: app.cookie, origin }],
    ] as const) {
      expect(await (await open(query, headers)).next()).toMatchObject({ type: "connected" });
    }
    for (const foreign of ["https://evil.example", "null"]) {
      const headers = { cookie: app.cookie, origin: foreign };
      expect(await refusal("", headers)).toEqual([403, "CSRF_FAILED"]);
    }
    expect(await refusal("", { cookie: app.cookie })).toEqual([403, "CSRF_FAILED"]);
  });

  test("can be said in the first message", async () => {
    const shop = await makeProject();
    const tokens = [app.key, sessionOf(["live:read"])];
    for (const token of tokens) {
      const socket = await open(`project=${shop.id}&events=a&snapshot=5`, {});
      socket.send({ type: "auth", token });
      expect(await socket.next()).toMatchObject({
        ...{ type: "connected", project: shop.name, filters: { events: ["a"] } },
      });
      expect(await socket.next()).toMatchObject({ type: "snapshot" });
    }
  });

  test("closes those who say something else, say it wrong, or nothing in 5 s", async () => {
    const first = async (message: unknown, query = "") => {
      const socket = await open(query, {});
      socket.send(message);
      return socket.closeCode();
    };
    expect(await first({ type: "auth", token: "aak_x" })).toBe(4401);
    expect(await first({ type: "auth", token: "aas_x" })).toBe(4401);
    expect(await first({ type: "auth", token: "Ω\n" })).toBe(4401);
    expect(await first({ type: "auth", token: "" })).toBe(4401);
    expect(await first({ type: "ping" })).toBe(4401);
    expect(await first({ type: "auth" })).toBe(4400);
    expect(await first({ type: "auth", token: sessionOf(["projects:read"]) })).toBe(4403);
    expect(await first({ type: "auth", token: app.key }, "project=nowhere")).toBe(4404);
    const silent = await open("", {});
    app.setTime(noonMs + socketAuthMs - 1);
    // The sockets before may be told that they are closed before the server counts them as such.
    while (app.deps.metrics.liveConnections > 1) await Bun.sleep(1);
    await Bun.sleep(30);
    expect(app.deps.metrics.liveConnections).toBe(1);
    app.setTime(noonMs + socketAuthMs);
    expect(await silent.closeCode()).toBe(4401);
  });
});

describe("a socket is closed", () => {
  test("when a message is malformed, whatever it is", async () => {
    const fine = JSON.stringify({ type: "subscribe", events: ["x"], filter: {} });
    const padded = (bytes: number): string => fine + " ".repeat(bytes - fine.length);
    const longest = await open("");
    await longest.next();
    longest.send(padded(socketMessageBytesMax));
    expect(await longest.next()).toMatchObject({ type: "connected" });

    const malformed = [
      ...["", "{", "null", "[]", '"ping"', "{}", '{"type":1}', '{"type":"subscribe","project":1}'],
      ...['{"type":"subscribe","events":"a"}', '{"type":"subscribe","events":[1]}'],
      ...['{"type":"subscribe","filter":[]}', padded(socketMessageBytesMax + 1)],
      JSON.stringify({ type: "ping", pad: "ü".repeat(socketMessageBytesMax / 2) }),
    ];
    for (const message of malformed) {
      const socket = await open("");
      await socket.next();
      socket.send(message);
      expect([message.slice(0, 50), await socket.closeCode()]).toEqual([
        message.slice(0, 50),
        4400,
      ]);
    }
    const binary = await open("");
    await binary.next();
    binary.sendBytes(new TextEncoder().encode('{"type":"ping"}'));
    expect(await binary.closeCode()).toBe(4400);
  });

  test("after 30 minutes without a matching event", async () => {
    const socket = await open("events=never");
    await socket.next();
    app.setTime(noonMs + liveInactivityMs);
    expect(await socket.closed()).toEqual({ code: 4408, reason: "inactivity" });
  });

  test("with a log-out, a lost plan, a deleted project, the end of the server", async () => {
    const shop = await makeProject();
    const deleted = await open(`project=${shop.id}`);
    await deleted.next();
    await app.send("DELETE", `/projects/${shop.id}`, { key: app.key });
    expect(await deleted.closed()).toEqual({ code: 4404, reason: "project_deleted" });

    const unknown = await open("");
    await unknown.next();
    unknown.send({ type: "subscribe", project: "nowhere" });
    expect(await unknown.closeCode()).toBe(4404);

    const free = await open("");
    await free.next();
    const change = (complimentary: boolean, tier: "free" | "pro") =>
      app.deps.control.write(() => {
        app.deps.control.db.update(account).set({ complimentary, tier }).run();
      });
    change(false, "free");
    expect(await free.closed()).toEqual({ code: 4403, reason: "plan" });
    expect(await refusal("", key())).toEqual([403, "PRO_REQUIRED"]);
    const late = await open("", {});
    late.send({ type: "auth", token: app.key });
    expect(await late.closeCode()).toBe(4403);
    change(true, "pro");

    const [one, two] = [await open(""), await open("", {})];
    await one.next();
    app.hangUp();
    expect([await one.closeCode(), await two.closeCode()]).toEqual([1001, 1001]);
  });

  test("by its client, which frees its place", async () => {
    const streams = await Promise.all(
      Array.from({ length: 4 }, () => app.open("/stream", { key: app.key })),
    );
    const open6 = await Promise.all(Array.from({ length: 6 }, () => open("")));
    for (const socket of open6) await socket.next();
    expect(liveConnectionsMax).toBe(10);
    expect(await refusal("", key())).toEqual([429, "STREAM_LIMIT"]);
    expect((await app.send("GET", "/stream", { key: app.key })).status).toBe(429);
    const late = await open("", {});
    late.send({ type: "auth", token: app.key });
    expect(await late.closed()).toMatchObject({
      code: 4429,
      reason: expect.stringContaining("maximum 10 concurrent streams"),
    });
    open6[0]?.close();
    while (app.deps.metrics.liveConnections > 9) await Bun.sleep(1);
    expect(await (await open("")).next()).toMatchObject({ type: "connected" });
    await Promise.all(streams.map(({ body }) => body?.cancel()));
  });
});

test("what has nothing else to wait for is bounded", async () => {
  const waiting = await Promise.all(
    Array.from({ length: socketsUnknownPerNetworkMax }, () => open("", {})),
  );
  expect(await refusal("", {})).toEqual([503, "UNAVAILABLE"]);
  expect(await (await open("")).next()).toMatchObject({ type: "connected" });
  waiting[0]?.close();
  while (app.deps.metrics.liveConnections > socketsUnknownPerNetworkMax) await Bun.sleep(1);
  const next = await open("", {});
  next.send({ type: "auth", token: app.key });
  expect(await next.next()).toMatchObject({ type: "connected" });
});

test("a handshake that cannot become a socket is refused, and takes no place", async () => {
  const malformed = { "sec-websocket-key": "x" };
  for (let asked = 0; asked <= liveConnectionsMax; asked++) {
    expect(await refusal("", { ...malformed, ...key() })).toEqual([400, "MISSING_FIELDS"]);
  }
  for (let asked = 0; asked <= socketsUnknownPerNetworkMax; asked++) {
    expect(await refusal("", malformed)).toEqual([400, "MISSING_FIELDS"]);
  }
  expect(await (await open("")).next()).toMatchObject({ type: "connected" });
  const late = await open("", {});
  late.send({ type: "auth", token: app.key });
  expect(await late.next()).toMatchObject({ type: "connected" });
});

test("an upgrade that is no handshake of a WebSocket is refused, and keeps no place", async () => {
  const broken = [
    { ...handshake, "Sec-WebSocket-Key": "short" },
    { ...handshake, "Sec-WebSocket-Version": "7" },
    { ...handshake, Upgrade: "h2c" },
  ];
  for (let round = 0; round <= liveConnectionsMax; round++) {
    for (const headers of broken) {
      const line = await Connection.open(origin);
      const text = requestText("GET", "/live/ws", { ...headers, "X-API-Key": app.key }, "");
      expect([headers, (await line.send(text)).status]).toEqual([headers, 400]);
      line.close();
    }
  }
  // Without a listener no request can be upgraded.
  for (let round = 0; round <= liveConnectionsMax; round++) {
    const answer = await app.open("/live/ws", { key: app.key, headers: handshake });
    expect([round, answer.status]).toEqual([round, 400]);
  }
  expect(app.deps.metrics.liveConnections).toBe(0);
  expect(await (await open("")).next()).toMatchObject({ type: "connected" });
});

test("the handshake's answer has the headers of a read", async () => {
  const line = await Connection.open(origin);
  const headers = { ...handshake, "X-API-Key": app.key };
  const answer = await line.send(requestText("GET", "/live/ws", headers, ""));
  expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([
    101,
    { "cache-control": "no-store", "x-monthly-usage": expect.any(String) },
  ]);
  line.close();
});
