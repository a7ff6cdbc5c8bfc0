import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import type { Json } from "../support/app/app";
import { parseCsv } from "../support/app/csv";
import {
  type Answer,
  app,
  ask,
  closeHostileShop,
  csv,
  json,
  openHostileShop,
  send,
  tables,
  texts,
} from "../support/app/csv-shop";
import { shortenDemo } from "../support/app/demo";

/** These tests look at how CSV is asked for and refused, and what stands around it. */
beforeAll(openHostileShop);
afterAll(closeHostileShop);

test("CSV is asked for by Accept or by format, which decides", async () => {
  const typeOf = async (path: string, body: Json | null = null, headers = {}) => {
    const response = await send(path, body, { headers });
    return [response.status, response.headers.get("content-type")?.split(";")[0]];
  };
  const accept = (value: string) => ({ accept: value });
  const stats = "/stats?project=shop";
  expect(await typeOf(`${stats}&format=csv`)).toEqual([200, "text/csv"]);
  expect(await typeOf(`${stats}&format=json`, null, accept("text/csv"))).toEqual([
    ...[200, "application/json"],
  ]);
  expect(await typeOf(stats, null, accept("*/*"))).toEqual([200, "application/json"]);
  const weighed = accept("text/csv;q=0.4, application/json;q=0.5");
  expect(await typeOf(stats, undefined, weighed)).toEqual([200, "application/json"]);
  expect(await typeOf("/query", { format: "csv" })).toEqual([200, "text/csv"]);
  expect(await typeOf("/query?format=csv", {})).toEqual([200, "text/csv"]);
  expect(await typeOf("/query?format=csv", { format: "csv" })).toEqual([200, "text/csv"]);
  expect(await typeOf("/query?format=csv", { format: null })).toEqual([200, "text/csv"]);
  expect(await typeOf("/query", {}, accept("text/csv"))).toEqual([200, "text/csv"]);
});

describe("refusals", () => {
  const refused = async (path: string, body: Json | null = null) => {
    const response = await send(path, body, csv);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const { message, ...rest } = (await response.json()) as Answer;
    return [response.status, rest, message];
  };
  const missing = (field: string, more = {}) => ({ error: "MISSING_FIELDS", field, ...more });
  test("are JSON", async () => {
    const [status, told] = await refused("/stats?project=shop&since=soon");
    expect([status, told]).toEqual([400, missing("since")]);
  });
  test("name the forms that there are", async () => {
    const allowed = { allowed: ["json", "csv"] };
    for (const path of ["/stats?project=shop&format=xml", "/stats?project=shop&format="]) {
      expect((await refused(path)).slice(0, 2)).toEqual([400, missing("format", allowed)]);
    }
    expect((await refused("/query", { format: "xml" }))[1]).toEqual(missing("format", allowed));
    expect((await refused("/query", { format: 1 }))[1]).toEqual({
      ...{ error: "INVALID_BODY", field: "format" },
    });
    expect((await refused("/query?format=csv", { format: "json" }))[1]).toEqual(missing("format"));
    expect((await refused("/query?fromat=csv", {}))[1]).toEqual({
      ...{ error: "INVALID_BODY", field: "fromat", suggested_field: "format" },
    });
    expect((await refused("/query?limit=1", {}))[1]).toEqual({
      ...{ error: "INVALID_BODY", field: "limit" },
    });
  });
  test("say what to ask instead of several tables", async () => {
    expect(await refused("/query", { queries: [{}] })).toEqual([
      ...[
        400,
        missing("queries"),
        "A CSV response holds a single table: send each query separately, or request JSON.",
      ],
    ]);
    expect(await refused("/pages?project=shop&type=both")).toEqual([
      ...[
        400,
        missing("type"),
        "A CSV response holds a single table: request entry and exit pages separately, or request JSON.",
      ],
    ]);
    const queries = [{ format: "csv" }];
    expect((await refused("/query", { queries }))[1]).toEqual({
      ...{ error: "INVALID_BODY", field: "queries[0].format" },
    });
    expect((await send("/query", { queries: [{}], format: "json" }, csv)).status).toBe(200);
  });
});

describe("what a table has no place for is in headers", () => {
  test("that the limit cut, and what there is", async () => {
    const cut = async (path: string, body: Json | null = null) => {
      const { headers } = (await ask(path, body)).response;
      return [headers.get("x-truncated"), headers.get("x-groups-total")];
    };
    const count = String(texts.length);
    expect(await cut("/query", { group_by: ["properties.text"], limit: 3 })).toEqual([
      "true",
      count,
    ]);
    expect(await cut("/breakdown?project=shop&property=text&limit=3")).toEqual(["true", count]);
    expect(await cut("/pages?project=shop&limit=3")).toEqual(["true", count]);
    expect(await cut("/query", { group_by: ["properties.text"] })).toEqual([null, null]);
    expect(await cut("/stats?project=shop")).toEqual([null, null]);
  });
  test("the next page, whichever form the page before had", async () => {
    for (const path of ["/events?project=shop&limit=8", "/sessions?project=shop&limit=8"]) {
      const whole = parseCsv((await ask(path.replace("=8", "=100"))).text);
      const pages: (readonly string[])[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const more: string = cursor === "" ? "" : `&cursor=${cursor}`;
        const { response, text } = await ask(path + more);
        const { next_cursor } = await json(path + more);
        cursor = response.headers.get("x-next-cursor");
        expect<unknown>(cursor).toBe(next_cursor);
        pages.push(...parseCsv(text).slice(1));
      }
      expect(pages).toEqual(whole.slice(1));
    }
  });
  test("that there are warnings, which JSON has", async () => {
    const filters = [{ field: "event", op: "eq", value: "é" }];
    const { warnings } = await json("/query", { filters });
    const { response } = await ask("/query", { filters });
    expect(response.headers.get("x-warnings")).toBe(String((warnings as unknown[]).length));
    expect((await ask("/query", {})).response.headers.has("x-warnings")).toBe(false);
  });
  test("programs of other sites may read them", async () => {
    const exposed = (await ask("/stats?project=shop")).response.headers.get(
      "access-control-expose-headers",
    );
    for (const name of ["X-Truncated", "X-Groups-Total", "X-Next-Cursor", "X-Warnings"]) {
      expect(exposed).toContain(name);
    }
  });
});

describe("layers around an answer", () => {
  test("caches keep the forms apart", async () => {
    for (const call of [csv, {}]) {
      const { headers } = await send("/stats?project=shop", null, call);
      expect(headers.get("vary")?.startsWith("accept")).toBe(true);
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });
  test("CSV is compressed like JSON", async () => {
    const headers = { ...csv.headers, "accept-encoding": "gzip" };
    const plain = (await ask("/events?project=shop")).text;
    const packed = await send("/events?project=shop", null, { headers });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("vary")).toBe("accept, accept-encoding");
    expect(gunzipSync(await packed.bytes()).toString()).toBe(plain);
  });
  test("HEAD has the headers alone", async () => {
    const response = await app.send("HEAD", "/stats?project=shop", { key: app.key, ...csv });
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  });
  test("it counts as a read, once", async () => {
    const reads = async () => Number((await app.get("/projects/shop")).total_reads);
    const before = await reads();
    const { response } = await ask("/query", {});
    expect(response.headers.has("x-monthly-usage")).toBe(true);
    await send("/query", { queries: [{}] }, csv);
    expect((await reads()) - before).toBe(1);
  });
});

test("shares ask under their filters, demo sessions too", async () => {
  const share = await app.send("POST", "/shares", {
    key: app.key,
    body: {
      ...{ project: "shop", name: "S" },
      filters: [{ field: "properties.text", op: "eq", value: "@SUM(1)" }],
    },
  });
  const { url } = (await share.json()) as { url: string };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}`, accept: "text/csv" });
  const asked = (path: string, token: string) => app.send("GET", path, { headers: bearer(token) });
  const shared = await asked("/breakdown?project=shop&property=text", url.split("/").at(-1) ?? "");
  expect(await shared.text()).toBe("value,count,unique_users\r\n'@SUM(1),1,1\r\n");
  expect((await asked("/events?project=shop", url.split("/").at(-1) ?? "")).status).toBe(403);

  shortenDemo(app);
  const demo = await app.send("POST", "/demo/session");
  const { agent_session: session } = (await demo.json()) as Readonly<Record<string, Answer>>;
  const token = String(session?.access_token);
  const answer = await asked("/stats?project=agentanalytics-demo", token);
  const [header] = (await answer.text()).split("\r\n");
  expect([answer.status, header]).toEqual([200, "bucket,unique_users,total_events"]);
});

test("reads without a table answer with JSON, and know no format", async () => {
  const reads = app.operations.filter(({ rule, csv: table }) => rule.read && table === undefined);
  expect(reads.length).toBeGreaterThan(10);
  const heatmap = await send("/heatmap?project=shop", null, csv);
  expect(heatmap.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(heatmap.headers.get("vary")).not.toBe("accept");
  expect(await json("/heatmap?project=shop&format=csv")).toMatchObject({ field: "format" });
});

test("/openapi.json lists the second type, with an example and the field", async () => {
  interface Answer {
    readonly $ref?: string;
    readonly content?: Readonly<Record<string, Json>>;
  }
  interface Operation {
    readonly parameters?: readonly { readonly $ref?: string; readonly name?: string }[];
    readonly requestBody?: unknown;
    readonly responses: { readonly 200: Answer };
  }
  interface Document {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: {
      readonly responses: Readonly<Record<string, { content: Readonly<Record<string, Json>> }>>;
    };
  }
  const whole = (await (await app.send("GET", "/openapi.json")).json()) as Document;
  const reads = (await (await app.send("GET", "/openapi.json?tag=Reads")).json()) as Document;
  const names = [...new Set(tables.map(([path]) => path.replace(/\?.*/, "")))];
  const listed = app.operations.filter(({ csv: table }) => table !== undefined);
  // The audit log has a suite of its own.
  const all = [...names, "/audit", "/admin/audit"];
  expect(listed.map(({ name }) => name.split(" ")[1]).sort()).toEqual(all.sort());
  for (const path of names) {
    for (const { paths, components } of [whole, reads]) {
      const operation = paths[path]?.[path === "/query" ? "post" : "get"];
      const answer = operation?.responses[200];
      const shared = components.responses[answer?.$ref?.split("/").at(-1) ?? ""];
      expect(Object.keys((shared ?? answer)?.content ?? {})).toEqual([
        "application/json",
        "text/csv",
      ]);
      expect(JSON.stringify(operation?.parameters)).toMatch(/"name":"format"|parameters\/format"/);
    }
    const shown = reads.paths[path]?.[path === "/query" ? "post" : "get"]?.responses[200];
    const example = String(shown?.content?.["text/csv"]?.example);
    expect(parseCsv(example).length).toBeGreaterThan(1);
  }
});
