import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { jsonOfProperties } from "../../src/domain/event";
import type { ImportedRow } from "../../src/ingest/imports/importer";
import { type TestApp, type TestProject, testApp } from "../support/app/app";
import { eventsOf, Files } from "./files";

const files = new Files();
let app: TestApp;
let shop: TestProject;
let text: string;

beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  await app.track(
    shop,
    {
      event: "page_view",
      user_id: "anon",
      session_id: "s",
      properties: { path: "/", "7": 1, "1": 2 },
    },
    { event: "buy", user_id: "ann", properties: { hidden: "a\u200bb" } },
    { event: "quiet" },
  );
  const traits = { plan: "pro" };
  await app.post("/identify", { token: shop.token, previous_id: "anon", user_id: "ann", traits });
  await app.send("PUT", "/project-context", {
    key: app.key,
    body: {
      project: "shop",
      goals: ["Grow"],
      activation_events: [],
      glossary: [],
      annotations: [],
    },
  });
  text = await (await app.open(`/export?project=${shop.id}&kind=all`, { key: app.key })).text();
});
afterAll(async () => {
  files.remove();
  await app.close();
});

const kindsOf = (rows: readonly ImportedRow[]): string[] => rows.map(({ kind }) => kind);

describe("our own export", () => {
  test("is read line for line, whatever it is packed with", async () => {
    const rows = await files.rows(text);
    expect(kindsOf(rows)).toEqual(["context", "identity", "profile", "event", "event", "event"]);
    expect(rows[0]).toMatchObject({ line: 2, context: { goals: ["Grow"] } });
    expect(rows[1]).toMatchObject({ previousId: "anon", userId: "ann" });
    expect(rows[2]).toMatchObject({ userId: "ann", traits: { plan: "pro" } });
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const exported = lines.filter(({ kind }) => kind === "event");
    expect(
      eventsOf(rows).map(({ name, timeMs, userId, sessionId, foreignId, eventId, properties }) => ({
        ...{ event: name, timestamp: timeMs, user_id: userId, session_id: sessionId, eventId },
        ...{ id: foreignId, properties: properties && JSON.parse(jsonOfProperties(properties)) },
      })),
    ).toEqual(
      exported.map(({ event, timestamp, user_id, session_id, id, properties }) => ({
        ...{ event, timestamp, user_id, session_id, id, properties, eventId: null },
      })),
    );
    expect(await files.rows(gzipSync(text))).toEqual(rows);
    expect(await files.rows(zstdCompressSync(text))).toEqual(rows);
  });

  test("is refused where it was cut, goes on after its end, or is not what its last line counts", async () => {
    const lines = text.trimEnd().split("\n");
    const broken = async (...changed: readonly string[]) => {
      try {
        await files.rows(`${changed.join("\n")}\n`);
        return "read";
      } catch (error) {
        expect(error).toMatchObject({ code: "IMPORT_BROKEN" });
        return error instanceof Error ? error.message : "";
      }
    };
    expect(await broken(...lines.slice(0, -1))).toContain("cut short");
    expect(await broken(...lines, ...lines.slice(3, 4))).toContain("after the last line");
    expect(await broken(...lines.slice(0, 3), ...lines.slice(4))).toContain("last line counts");
    expect(await broken(...lines.map((line) => line.replace("page_view", "page_vieW")))).toContain(
      "last line counts",
    );
    expect(
      await broken(...lines.map((line) => line.replace('"version":1', '"version":2'))),
    ).toContain("newer version");
  });
});
