import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { codingFor, uncompressedBytesMax } from "./content-coding";
import { UnsentBytes } from "./unsent-bytes";

test("the coding is the one that a client likes best, and of equals the smallest", () => {
  const codingOf = (accepted: string | null) =>
    codingFor(
      new Request("http://localhost/", {
        headers: accepted === null ? {} : { "accept-encoding": accepted },
      }),
    );
  for (const [accepted, expected] of [
    [null, null],
    ["", null],
    ["identity", null],
    ["deflate, x-gzip-like", null],
    ["gzip", "gzip"],
    ["gzip, deflate, br", "br"],
    ["gzip, deflate, br, zstd", "zstd"],
    ["GZIP ; Q=0.8 , br;q=0.5", "gzip"],
    ["zstd;q=0, br;q=0.0, gzip;q=0.001", "gzip"],
    ["*", "zstd"],
    ["*, zstd;q=0", "br"],
    ["*;q=0, gzip", "gzip"],
    ["*;q=0", null],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity, gzip;q=0.5", null],
    ["gzip;q=2", null],
    ["gzip;q=x, br", "br"],
  ] as const) {
    expect([accepted, codingOf(accepted)]).toEqual([accepted, expected]);
  }
});

describe("answers", () => {
  let app: TestApp;
  let shop: TestProject;
  let origin: string;
  beforeAll(async () => {
    app = await testApp();
    origin = app.listen();
    shop = await app.makeProject("shop");
    await app.track(shop, { event: "padded", properties: { text: "ä".repeat(400) } });
    for (let batch = 0; batch < 3; batch++) {
      const texts = Array.from({ length: 100 }, () => randomBytes(1_000).toString("hex"));
      await app.track(shop, ...texts.map((text) => ({ event: "noise", properties: { text } })));
    }
  });
  afterAll(() => app.close());

  const fetched = (path: string, accepted: string | null, init: RequestInit = {}) =>
    fetch(`${origin}${path}`, {
      ...init,
      decompress: false,
      headers: {
        "x-api-key": app.key,
        ...(accepted === null
          ? { "accept-encoding": "identity" }
          : { "accept-encoding": accepted }),
        ...init.headers,
      },
    });
  const codings = [
    ["zstd", zstdDecompressSync],
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ] as const;
  const padded = () => `/events?project=${shop.id}&event=padded`;

  test("over the bound are compressed as asked, and say that they vary", async () => {
    const plain = await fetched(padded(), null);
    const text = await plain.text();
    expect(Buffer.byteLength(text)).toBeGreaterThan(uncompressedBytesMax);
    expect(text.length).toBeLessThan(uncompressedBytesMax);
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(plain.headers.get("vary")).toBe("accept, accept-encoding");
    for (const [coding, decompress] of codings) {
      const answer = await fetched(padded(), coding);
      const bytes = await answer.bytes();
      expect(answer.headers.get("content-encoding")).toBe(coding);
      expect(answer.headers.get("vary")).toBe("accept, accept-encoding");
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(answer.headers.get("content-length")).toBe(String(bytes.length));
      expect(bytes.length).toBeLessThan(uncompressedBytesMax);
      expect(decompress(bytes).toString()).toBe(text);
    }
  });

  test("are compressed from the first byte over 1 KiB on", async () => {
    const of = async (event: string, chars: number) => {
      await app.track(shop, { event, properties: { text: "x".repeat(chars) } });
      const path = `/events?project=${shop.id}&event=${event}`;
      const plain = (await (await fetched(path, null)).bytes()).length;
      const answer = await fetched(path, "gzip");
      await answer.bytes();
      return [plain, answer.headers.get("content-encoding")] as const;
    };
    const [bytes] = await of("first", 400);
    const missing = uncompressedBytesMax - bytes;
    expect(await of("exact", 400 + missing)).toEqual([uncompressedBytesMax, null]);
    expect(await of("above", 401 + missing)).toEqual([uncompressedBytesMax + 1, "gzip"]);
  });

  test("to HEAD have the headers of GET", async () => {
    for (const path of [padded(), "/docs", `/nothing/${"x".repeat(10)}`, "/health"]) {
      const headersOf = async (method: string) => {
        const answer = await fetched(path, "br, gzip", { method });
        await answer.bytes();
        const own = ["content-encoding", "content-length", "vary", "content-type"];
        return [answer.status, ...own.map((name) => answer.headers.get(name))];
      };
      expect([path, await headersOf("HEAD")]).toEqual([path, await headersOf("GET")]);
    }
  });

  test("that are pages or errors are compressed too, and those without a body are not", async () => {
    // The question is refused, with the names that could have been meant.
    const names = Array.from({ length: 60 }, (_, n) => ({ event: `a_rather_long_name_of_${n}` }));
    await app.track(shop, ...names);
    const filters = [{ field: "a_rather_long_name", op: "eq", value: "x" }];
    const question = { project: shop.id, metrics: ["event_count"], filters };
    const refused = { method: "POST", body: JSON.stringify(question) };
    for (const [path, init] of [
      ["/setup", {}],
      ["/query", refused],
    ] as const) {
      const plain = await (await fetched(path, null, init)).text();
      const answer = await fetched(path, "gzip", init);
      expect([path, answer.headers.get("content-encoding")]).toEqual([path, "gzip"]);
      expect(gunzipSync(await answer.bytes()).toString()).toBe(plain);
    }
    const preflight = await fetched("/stats", "gzip", { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("content-encoding")]).toEqual([204, null]);
    const script = await fetched("/tracker.js", "gzip");
    const etag = script.headers.get("etag") ?? "";
    const known = await fetched("/tracker.js", "gzip", { headers: { "if-none-match": etag } });
    expect([known.status, known.headers.get("content-encoding")]).toEqual([304, null]);
  });

  test("that are streams stay as they are", async () => {
    const stream = await fetched(`/stream?project=${shop.id}`, "zstd, br, gzip");
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    expect(stream.headers.get("content-encoding")).toBeNull();
    await stream.body?.cancel();
    const file = await fetched(`/export?project=${shop.id}&format=csv`, "zstd, br, gzip");
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(file.headers.get("content-encoding")).toBeNull();
    await file.body?.cancel();
  });

  test("that are large are counted as their clients get them", async () => {
    let most = 0;
    const unsent = new UnsentBytes();
    const open = unsent.open.bind(unsent);
    unsent.open = (holder, drop) => {
      const one = open(holder, drop);
      return {
        ...one,
        set: (bytes) => {
          most = Math.max(most, bytes);
          one.set(bytes);
        },
      };
    };
    Object.assign(app.deps, { unsent });
    const answer = await fetched(`/events?project=${shop.id}&limit=1000`, "gzip");
    const bytes = await answer.bytes();
    expect(gunzipSync(bytes).length).toBeGreaterThan(1.2 * bytes.length);
    expect(most).toBe(bytes.length);
    expect(unsent.bytes).toBe(0);
  });
});
