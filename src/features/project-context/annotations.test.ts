import { describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp } from "../../../test/support/app/app";
import { eachWithOwnAccount } from "../../../test/support/app/own-account";

let app: TestApp;
eachWithOwnAccount(async (own) => {
  app = own;
  await app.makeProject("shop");
});

interface Annotation {
  readonly id: string;
  readonly occurred_at: string;
  readonly title: string;
  readonly note?: string;
}
interface Context {
  readonly goals: readonly string[];
  readonly annotations: readonly Annotation[];
  readonly updated_at: number | null;
}
interface Answer extends Json {
  readonly project_context: Context;
  readonly annotation: Annotation;
}
const send = async (method: string, path: string, body?: Json, seen?: unknown) => {
  const headers: Record<string, string> = seen === undefined ? {} : { "if-match": String(seen) };
  const answer = await app.send(method, path, { key: app.key, headers, body });
  return { status: answer.status, body: (await answer.json()) as Answer };
};
const note = async (title: string, occurred_at = "2026-01-10T09:00:00Z", seen?: unknown) =>
  send("POST", "/project-context/annotations", { project: "shop", occurred_at, title }, seen);
const at = (id: string) => `/project-context/annotations/${id}`;
const stored = async () =>
  ((await app.get("/project-context?project=shop")) as Answer).project_context;
const refusal = ({ status, body }: { status: number; body: Json }) =>
  [status, body.error, body.field].filter((part) => part !== undefined);
const put = (context: Json, seen?: unknown) =>
  send("PUT", "/project-context", { project: "shop", ...context }, seen);

describe("one annotation", () => {
  test("is added, changed and deleted by itself; the rest of the context stays", async () => {
    await put({
      goals: ["Grow"],
      annotations: [{ occurred_at: "2026-01-11T00:00:00Z", title: "b" }],
    });
    const made = await note("a", "2026-01-10T10:00:00+01:00");
    const { id } = made.body.annotation;
    const written = { id, occurred_at: "2026-01-10T09:00:00.000Z", title: "a" };
    expect([made.status, made.body.annotation]).toEqual([201, written]);
    expect(id).toMatch(/^ann_[a-z0-9]{16}$/);
    expect((await stored()).annotations.map(({ title }) => title)).toEqual(["a", "b"]);

    const changed = await send("PATCH", at(id), {
      occurred_at: "2026-01-12T00:00:00Z",
      note: " why ",
    });
    const later = { id, occurred_at: "2026-01-12T00:00:00.000Z", title: "a", note: "why" };
    expect([changed.status, changed.body.annotation]).toEqual([200, later]);
    const context = await stored();
    expect(context.annotations.map(({ title }) => title)).toEqual(["b", "a"]);
    expect(context.annotations[1]).toEqual(later);

    const { note: _, ...withoutNote } = later;
    const noteGone = await send("PATCH", at(id), { note: "" });
    expect(noteGone.body.annotation).toEqual(withoutNote);

    expect((await send("DELETE", at(id))).body.deleted).toBe(id);
    expect(await stored()).toMatchObject({ goals: ["Grow"], annotations: [{ title: "b" }] });
    expect(refusal(await send("DELETE", at(id)))).toEqual([404, "NOT_FOUND"]);
    expect(refusal(await send("PATCH", at(id), { title: "c" }))).toEqual([404, "NOT_FOUND"]);
  });

  test("is refused when it breaks a rule, and is not the 101st", async () => {
    expect(refusal(await note(" "))).toEqual([400, "MISSING_FIELDS", "title"]);
    expect(refusal(await note("t", "2026-01-10"))).toEqual([400, "MISSING_FIELDS", "occurred_at"]);
    const { id } = (await note("t")).body.annotation;
    expect(refusal(await send("PATCH", at(id), {}))).toEqual([400, "MISSING_FIELDS", "title"]);
    expect(refusal(await send("PATCH", at(id), { id: "x" }))).toEqual([400, "INVALID_BODY", "id"]);
    const list = Array.from({ length: 100 }, (_, index) => ({
      occurred_at: "2026-01-10T09:00:00Z",
      title: `${index}`,
    }));
    await put({ annotations: list });
    expect(refusal(await note("t"))).toEqual([400, "MISSING_FIELDS", "annotations"]);
  });

  test("is found by its own id alone, not by a text that mentions it", async () => {
    const gone = "ann_aaaaaaaaaaaaaaaa";
    await note(`see ${gone}`);
    expect(refusal(await send("DELETE", at(gone)))).toEqual([404, "NOT_FOUND"]);
    expect(refusal(await send("DELETE", at("%")))).toEqual([404, "NOT_FOUND"]);
  });

  test("comes with its id in the reads of its dates", async () => {
    const { annotation } = (await note("a")).body;
    const stats = (await app.get("/stats?project=shop")) as Answer;
    expect(stats.project_context.annotations).toEqual([annotation]);
    expect(stats.project_context.updated_at).toBeUndefined();
  });
});

describe("the ids of a context that is replaced", () => {
  const a = { occurred_at: "2026-01-10T09:00:00.000Z", title: "a" };
  const ids = async (annotations: readonly Json[]) =>
    (await put({ annotations })).body.project_context.annotations.map(({ id }) => id);

  test("stay with what names them, and with what says the same", async () => {
    const [first = "", second = ""] = await ids([a, { ...a, title: "b" }]);
    expect(await ids([{ ...a, title: "b" }, a])).toEqual([second, first]);
    expect(await ids([{ ...a, id: second, title: "renamed" }, a])).toEqual([second, first]);
  });

  test("are new for what is new, and given to one annotation only", async () => {
    const [first = ""] = await ids([a]);
    const again = await ids([{ ...a, id: first }, { ...a, id: first }, a]);
    expect(again[0]).toBe(first);
    expect(new Set(again).size).toBe(3);
    const unknown = "ann_aaaaaaaaaaaaaaaa";
    expect(await ids([{ ...a, id: unknown }])).not.toContain(unknown);
  });
});

describe("If-Match", () => {
  test("lets the first of two writers in, whichever way they write", async () => {
    expect((await stored()).updated_at).toBeNull();
    const made = await note("a", undefined, "null");
    const seen = made.body.project_context.updated_at;
    expect([made.status, seen]).toEqual([201, noonMs]);
    const { id } = made.body.annotation;

    // This change is made in the same millisecond.
    const first = await send("PATCH", at(id), { title: "b" }, seen);
    expect(first.status).toBe(200);
    const conflict = [409, "CONTEXT_CHANGED"];
    expect(refusal(await send("PATCH", at(id), { title: "c" }, seen))).toEqual(conflict);
    expect(refusal(await send("DELETE", at(id), undefined, seen))).toEqual(conflict);
    expect(refusal(await note("d", undefined, seen))).toEqual(conflict);
    expect(refusal(await put({}, seen))).toEqual(conflict);
    expect(refusal(await put({ updated_at: seen }))).toEqual(conflict);
    expect((await stored()).annotations.map(({ title }) => title)).toEqual(["b"]);

    const now = (await stored()).updated_at;
    expect((await put({ goals: ["g"] }, `"${now}"`)).status).toBe(200);
    const { updated_at } = await stored();
    expect((await put({ goals: ["h"], updated_at })).status).toBe(200);
    expect((await note("e")).status).toBe(201);
  });
});

test("OpenAPI lists `If-Match` among the parameters of each of these writes", async () => {
  const { paths, components } = (await app.get("/openapi.json")) as unknown as Described;
  const withIt = Object.entries(paths).flatMap(([path, { parameters: _, ...methods }]) =>
    Object.entries(methods)
      .filter(([, { parameters = [] }]) =>
        parameters.some(({ $ref }) => $ref === "#/components/parameters/If-Match"),
      )
      .map(([method]) => `${method} ${path}`),
  );
  expect(withIt.sort()).toEqual([
    "delete /project-context/annotations/{id}",
    "patch /project-context/annotations/{id}",
    "post /project-context/annotations",
    "put /project-context",
  ]);
  expect(components.parameters["If-Match"]).toMatchObject({ name: "If-Match", in: "header" });
});
interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { parameters?: readonly { $ref?: string }[] }>>>
  >;
  readonly components: { readonly parameters: Readonly<Record<string, unknown>> };
}
