import { afterAll, beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { bodyBytesMax } from "../../src/domain/limits";
import { dialects } from "../../src/ingest/dialects/list";
import type { TestApp } from "../support/app/app";
import { cases } from "../support/random/cases";
import { openApp, type SourceWorld, sourceOf } from "./world";

let app: TestApp;
const worlds: SourceWorld[] = [];
beforeAll(async () => {
  app = await openApp();
  for (const { kind } of dialects) worlds.push(await sourceOf(app, kind));
});
afterAll(() => app.close());

const browser = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  origin: "https://garten.example",
};
const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const packed = (content: string | Buffer) => new Uint8Array(gzipSync(content));

/** Bodies that no client sends, none of which may be stored or bring the server down. */
const hostileBodies: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  "deep lists": "[".repeat(400_000),
  "deep objects": `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
  "gzip that unpacks to 100 MiB": packed(Buffer.alloc(100 * 1024 * 1024)),
  "gzip cut short": packed("x".repeat(10_000)).slice(0, 30),
  "gzip by its magic alone": bytes("\x1f\x8b"),
  "bytes that are no UTF-8": bytes("{\xff\xfe}"),
  NUL: "\0\0\0",
  "a number": "17",
  "a text": '"x"',
  "one byte too many": "x".repeat(bodyBytesMax + 1),
  "invalid percent-encoding": "data=%zz",
  "invalid Base64": "data=!!!!",
  "Base64 of no JSON": `data=${btoa("not json")}`,
};

const storesNothing: ReadonlySet<string> = new Set([
  ...["/v1/group", "/v1/g", "/groups", "/record"],
]);

test("hostile bodies are refused in the dialect's form, and nothing of them is stored", async () => {
  for (const [at, { kind, endpoints }] of dialects.entries()) {
    const world = worlds[at] as SourceWorld;
    const before = (await world.events()).length;
    for (const endpoint of endpoints) {
      if (!("read" in endpoint) || !endpoint.methods.includes("POST")) continue;
      for (const [name, body] of Object.entries(hostileBodies)) {
        const answer = await world.send("POST", endpoint.path, { body, headers: browser });
        const isLarge = name.startsWith("gzip that") || name.startsWith("one byte");
        const seen = [kind, endpoint.path, name];
        // Of some messages nothing is stored, whatever they say.
        const isTaken = answer.status === 200 && storesNothing.has(endpoint.path);
        expect([...seen, answer.status]).toEqual([...seen, isLarge ? 413 : isTaken ? 200 : 400]);
      }
    }
    expect([kind, (await world.events()).length]).toEqual([kind, before]);
  }
});

test("a query string that is no percent-encoding, or longer than a body may be, is refused", async () => {
  for (const [at, { kind, endpoints }] of dialects.entries()) {
    const world = worlds[at] as SourceWorld;
    for (const endpoint of endpoints) {
      if (!("read" in endpoint)) continue;
      const [method = "POST"] = endpoint.methods;
      for (const [query, status] of [
        ["x=%ff", 400],
        ["x=%zz", 400],
        [`x=${"a".repeat(bodyBytesMax)}`, 413],
      ]) {
        const call = { headers: browser, ...(method === "POST" && { body: "{}" }) };
        const answer = await world.send(method, `${endpoint.path}?${query}`, call);
        expect([kind, endpoint.path, answer.status]).toEqual([kind, endpoint.path, status]);
      }
    }
  }
});

const scalar = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, "", "__proto__", "\0", "\ud800", -1, 1e308, "https://", "http://[", "%"),
);
const anything = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(fc.string({ unit: "binary", maxLength: 8 }), tie("value"), { maxKeys: 4 }),
})).value;

/** The fields that dialects look at, with whatever values: as objects, lists of these, and wrapped in a batch. */
const fieldNames = [
  ...["n", "name", "u", "url", "d", "domain", "r", "p", "props", "e", "sd", "$", "i", "w", "h"],
  ...[
    "type",
    "payload",
    "website",
    "hostname",
    "referrer",
    "data",
    "tag",
    "timestamp",
    "id",
    "lcp",
  ],
  ...[
    "event",
    "properties",
    "userId",
    "anonymousId",
    "previousId",
    "traits",
    "context",
    "messageId",
  ],
  ...[
    "distinct_id",
    "uuid",
    "$set",
    "$token",
    "$distinct_id",
    "time",
    "sentAt",
    "sent_at",
    "offset",
  ],
];
const item = fc.dictionary(fc.constantFrom(...fieldNames), anything, { maxKeys: 12 });
const payload = fc.oneof(
  item,
  fc.array(item, { maxLength: 4 }),
  fc.array(item, { maxLength: 4 }).map((batch) => ({ batch })),
  fc.record({ type: fc.constantFrom("event", "identify", "performance"), payload: item }),
  fc.record({ event: fc.constantFrom("$identify", "$pageview", "x"), properties: item }),
  fc.array(fc.string(), { maxLength: 3 }).map((requests) => ({ requests })),
  anything,
);

test("whatever is sent is answered, and never as a fault of the server", async () => {
  const endpoints = dialects.flatMap(({ endpoints: all }, at) =>
    all
      .filter((one) => "read" in one && one.methods.includes("POST"))
      .map(({ path }) => ({ path, world: worlds[at] as SourceWorld })),
  );
  const property = fc.asyncProperty(
    fc.constantFrom(...endpoints),
    payload,
    fc.boolean(),
    async ({ path, world }, value, isForm) => {
      const json = JSON.stringify(value) ?? "null";
      const body = isForm ? `data=${encodeURIComponent(json.toWellFormed())}` : json;
      const { status } = await world.send("POST", path, { body, headers: browser });
      expect(status).toBeOneOf([200, 202, 204, 400, 413]);
    },
  );
  await fc.assert(property, { numRuns: cases(150, 3_000) });
});
