import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Json, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { projectContextBodyBytesMax } from "./routes";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterAll(() => app.close());

const put = (sent: unknown) => app.send("PUT", "/project-context", { key: app.key, body: sent });
/** Returns an answer without what the server adds, which annotations.test.ts tests. */
const bare = <T>(answer: T): T =>
  JSON.parse(JSON.stringify(answer), (key, value) =>
    key === "updated_at" || (key === "id" && String(value).startsWith("ann_")) ? undefined : value,
  );
const contextOf = async (sent: Json): Promise<Json> => {
  const answer = await put({ project: "shop", ...sent });
  const { project_context } = (await answer.json()) as { project_context: Json };
  return bare(project_context);
};
const refusal = async (sent: Json) => {
  const answer = await put({ project: "shop", ...sent });
  const { error, field } = (await answer.json()) as Json;
  return [answer.status, error, field].filter((part) => part !== undefined);
};
const missing = (field: string) => [400, "MISSING_FIELDS", field];
const x = (count: number) => "x".repeat(count);

const empty = { goals: [], activation_events: [], glossary: [], annotations: [] };
const entry = { event_name: "signup", term: "Sign-up", definition: "A person made an account." };
const release = { occurred_at: "2026-01-10T09:00:00.000Z", title: "New checkout" };
const full = {
  goals: ["More paying customers"],
  activation_events: ["signup", "pay"],
  glossary: [entry],
  annotations: [release, { ...release, title: "Price change", note: "From 9 to 12." }],
};

describe("a project's context", () => {
  beforeEach(async () => {
    await put({ project: "shop" });
  });

  test("is four empty lists until somebody writes one", async () => {
    const blog = await app.makeProject("blog");
    expect(bare(await app.get("/project-context?project=blog"))).toEqual({
      project: "blog",
      project_id: blog.id,
      project_context: empty,
    });
  });

  test("comes back as it was put, by name and by id", async () => {
    const stored = { project: "shop", project_id: shop.id, project_context: full };
    const answer = await put({ project: shop.id, ...full });
    expect([answer.status, bare(await answer.json())]).toEqual([200, { ok: true, ...stored }]);
    for (const selector of ["shop", shop.id]) {
      expect(bare(await app.get(`/project-context?project=${selector}`))).toEqual(stored);
    }
  });

  test("is replaced as a whole: what is left out or null becomes empty", async () => {
    await put({ project: "shop", ...full });
    expect(await contextOf({ goals: ["One"], glossary: null })).toEqual({
      ...empty,
      goals: ["One"],
    });
    expect(await contextOf({})).toEqual(empty);
  });

  test("keeps its strings trimmed and refuses those that are then empty", async () => {
    const spaced = {
      goals: ["  Grow\n"],
      glossary: [{ event_name: " a ", term: "\tb", definition: "c " }],
      annotations: [{ occurred_at: " 2026-01-10T09:00:00Z ", title: " t ", note: " n " }],
    };
    expect(await contextOf(spaced)).toEqual({
      goals: ["Grow"],
      activation_events: [],
      glossary: [{ event_name: "a", term: "b", definition: "c" }],
      annotations: [{ occurred_at: "2026-01-10T09:00:00.000Z", title: "t", note: "n" }],
    });
    expect(await refusal({ goals: ["a", " "] })).toEqual(missing("goals[1]"));
    expect(await refusal({ activation_events: [""] })).toEqual(missing("activation_events[0]"));
    expect(await refusal({ annotations: [{ ...release, note: "" }] })).toEqual(
      missing("annotations[0].note"),
    );
  });

  test("takes any text for text", async () => {
    const hostile = [
      '</script><script>"',
      "nul\0inside",
      "\ud800",
      "😀",
      "'; drop table project; --",
    ];
    expect((await contextOf({ goals: hostile })).goals).toEqual(hostile);
  });

  test("orders annotations by time, equal ones as they were sent, and tells times in UTC", async () => {
    const at = (occurred_at: string, title: string) => ({ occurred_at, title });
    const { annotations } = await contextOf({
      annotations: [
        at("2026-01-10T10:00:00+02:00", "c"),
        at("2026-01-10T08:00:00Z", "d"),
        at("2026-01-10T09:59:59.5+0200", "b"),
        at("2025-12-31T23:30:00-01:00", "a"),
      ],
    });
    expect(annotations).toEqual([
      at("2026-01-01T00:30:00.000Z", "a"),
      at("2026-01-10T07:59:59.500Z", "b"),
      at("2026-01-10T08:00:00.000Z", "c"),
      at("2026-01-10T08:00:00.000Z", "d"),
    ]);
  });

  test.each([
    "2026-01-10T08:00:00",
    "2026-01-10",
    "2026-02-30T08:00:00Z",
    "2026-01-10T25:00:00Z",
    "yesterday",
    "1768032000000",
    "",
  ])("refuses %p for a time", async (occurred_at) => {
    const annotations = [release, { ...release, occurred_at }];
    expect(await refusal({ annotations })).toEqual(missing("annotations[1].occurred_at"));
  });
});

describe("the limits of a context", () => {
  const list = (count: number, item: unknown) => Array.from({ length: count }, () => item);
  const lists: readonly [field: string, most: number, item: unknown][] = [
    ["goals", 5, "g"],
    ["activation_events", 8, "e"],
    ["glossary", 10, entry],
    ["annotations", 100, release],
  ];
  test.each(lists)("%s has at most %d items", async (field, most, item) => {
    expect((await contextOf({ [field]: list(most, item) }))[field]).toHaveLength(most);
    expect(await refusal({ [field]: list(most + 1, item) })).toEqual(missing(field));
  });

  const texts: readonly [path: string, most: number, sent: (text: string) => Json][] = [
    ["goals[0]", 160, (text) => ({ goals: [text] })],
    ["activation_events[0]", 96, (text) => ({ activation_events: [text] })],
    [
      "glossary[2].event_name",
      96,
      (t) => ({ glossary: [entry, entry, { ...entry, event_name: t }] }),
    ],
    ["glossary[2].term", 64, (t) => ({ glossary: [entry, entry, { ...entry, term: t }] })],
    ["glossary[0].definition", 240, (t) => ({ glossary: [{ ...entry, definition: t }] })],
    ["annotations[1].title", 120, (t) => ({ annotations: [release, { ...release, title: t }] })],
    ["annotations[0].note", 500, (t) => ({ annotations: [{ ...release, note: t }] })],
  ];
  test.each(texts)("%s has at most %d code points, trimmed", async (path, most, sent) => {
    for (const fitting of [x(most), "😀".repeat(most), `  ${x(most)}  `]) {
      expect((await put({ project: "shop", ...sent(fitting) })).status).toBe(200);
    }
    expect(await refusal(sent(x(most + 1)))).toEqual(missing(path));
    expect(await refusal(sent(""))).toEqual(missing(path));
  });

  test("its entries need all their parts", async () => {
    const { term: _, ...lacking } = entry;
    expect(await refusal({ glossary: [entry, lacking] })).toEqual(missing("glossary[1].term"));
    expect(await refusal({ annotations: [{ title: "t" }] })).toEqual(
      missing("annotations[0].occurred_at"),
    );
    expect(
      await refusal({ annotations: [{ occurred_at: release.occurred_at, title: null }] }),
    ).toEqual(missing("annotations[0].title"));
  });

  test("it is closed, and so are its entries", async () => {
    const invalid = (field: string) => [400, "INVALID_BODY", field];
    expect(await refusal({ goal: [] })).toEqual(invalid("goal"));
    expect(await refusal({ glossary: [{ ...entry, url: "u" }] })).toEqual(
      invalid("glossary[0].url"),
    );
    expect(await refusal({ annotations: [{ ...release, author: "me" }] })).toEqual(
      invalid("annotations[0].author"),
    );
    expect(await refusal({ goals: "one" })).toEqual(invalid("goals"));
    expect(await refusal({ goals: [null] })).toEqual(invalid("goals[0]"));
    expect(await refusal({ annotations: [{ ...release, occurred_at: 1 }] })).toEqual(
      invalid("annotations[0].occurred_at"),
    );
  });

  test("its body has at most 512 KiB", async () => {
    const sized = (bytes: number) => {
      const body = JSON.stringify({ project: "shop", goals: ["g"] });
      return body + " ".repeat(bytes - body.length);
    };
    expect((await put(sized(projectContextBodyBytesMax))).status).toBe(200);
    const refused = await put(sized(projectContextBodyBytesMax + 1));
    expect([refused.status, await refused.json()]).toMatchObject([
      413,
      { error: "PAYLOAD_TOO_LARGE", limit_bytes: 524_288 },
    ]);
    const longest = "😀".repeat(500);
    const annotations = list(100, { ...release, title: "😀".repeat(120), note: longest });
    expect((await contextOf({ annotations })).annotations).toHaveLength(100);
  });

  test("the project is looked for after the shape and before the fields", async () => {
    const code = async (sent: Json) => ((await (await put(sent)).json()) as Json).error;
    expect(await code({ goals: "one" })).toBe("INVALID_BODY");
    expect(await code({ goals: [" "] })).toBe("PROJECT_REQUIRED");
    expect(await code({ project: "nobody", goals: [" "] })).toBe("NOT_FOUND");
  });
});
