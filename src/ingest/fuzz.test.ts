import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type TestApp, type TestProject, testApp } from "../../test/support/app/app";
import { cases } from "../../test/support/random/cases";
import { propertiesBytesMax, propertiesDepthMax } from "../domain/limits";

let app: TestApp;
let project: TestProject;

beforeAll(async () => {
  app = await testApp();
  project = await app.makeProject("fuzz");
});
afterAll(() => app.close());

/** Any UTF-16, halves of pairs and control characters included. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff })))
  .map((units) => String.fromCharCode(...units));
const hostileText = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "toJSON", "length"),
  fc.constantFrom(
    "",
    "0",
    "42",
    "-1",
    "4294967295",
    "1e3",
    "null",
    "\u0000",
    "\ud800",
    "\udc00x",
    "'",
    '"',
  ),
  fc.constantFrom(
    "$",
    "$.a",
    "a.b",
    "a[0]",
    "';drop table segment;--",
    "%",
    "_",
    "\\",
    "\u2028",
    "<script>",
  ),
  anyText,
);
const hostileNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1e308, 5e-324, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 0.1 + 0.2),
);
const hostileValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(hostileText, hostileNumber, fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(hostileText, tie("value"), { maxKeys: 6 }),
  ),
})).value;
const hostileObject = fc.dictionary(hostileText, hostileValue, { maxKeys: 8 });

/** The objects are made from JSON text, because an object literal cannot have an own `__proto__`. */
const isSmallEnough = (object: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(object)) <= propertiesBytesMax &&
  depthOf(object) <= propertiesDepthMax;
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test("every acknowledged event is returned exactly as it was sent", async () => {
  const wellFormed = hostileText.filter((text) => text.isWellFormed() && text !== "");
  const event = fc.record({
    event: wellFormed,
    user_id: fc.option(wellFormed),
    session_id: fc.option(wellFormed),
    properties: fc.option(hostileObject.filter(isSmallEnough)),
  });
  const run = fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 20 }), async (events) => {
    const { name, token } = await app.makeProject(`p${crypto.randomUUID()}`);
    const sent = JSON.parse(JSON.stringify({ token, events })) as { events: unknown[] };
    const response = await app.send("POST", "/track/batch", { body: JSON.stringify(sent) });
    expect(await response.json()).toEqual({ ok: true, queued: true, count: events.length });

    const answer = await app.send("GET", `/events?project=${name}&limit=100`, { key: app.key });
    const { events: rows } = (await answer.json()) as { events: Record<string, unknown>[] };
    const read = rows.map(({ event, user_id, session_id, properties }) =>
      JSON.stringify({ event, user_id, session_id, properties }),
    );
    expect(read.sort()).toEqual(sent.events.map((one) => JSON.stringify(one)).sort());
  });
  await fc.assert(run, { numRuns: cases(8, 25) });
});

test("no body makes the server fail", async () => {
  const field = fc.constantFrom(
    "token",
    "event",
    "properties",
    "user_id",
    "session_id",
    "timestamp",
    "sent_at",
  );
  const key = fc.oneof(
    field,
    fc.constantFrom("event_id", "events", "traits", "previous_id"),
    hostileText,
  );
  const anyValue = fc.oneof(hostileValue, fc.constant(project.token), fc.constantFrom("e", 1e300));
  const object = fc.dictionary(key, anyValue, { maxKeys: 10 });
  const almost = fc
    .record({ token: fc.constant(project.token), event: fc.constant("e") })
    .chain((valid) => object.map((other) => ({ ...valid, ...other })));
  const body = fc.oneof(
    fc
      .oneof(
        object,
        almost,
        fc.array(almost).map((events) => ({ events })),
      )
      .map((one) => JSON.stringify(one)),
    hostileValue.map((one) => JSON.stringify(one)),
    anyText,
    // A body may be cut off anywhere.
    fc.tuple(almost, fc.nat(400)).map(([one, length]) => JSON.stringify(one).slice(0, length)),
  );
  const path = fc.constantFrom("/track", "/track/batch", "/identify");
  const run = fc.asyncProperty(path, body, hostileText, async (to, text, agent) => {
    const userAgent = agent.replace(/[^\x20-\x7e]/g, "");
    const response = await app.send("POST", to, {
      body: text,
      headers: { "user-agent": userAgent },
    });
    expect([202, 400, 401]).toContain(response.status);
  });
  await fc.assert(run, { numRuns: cases(80, 500) });
});

test("the largest, the deepest and the widest properties come back as they were sent", async () => {
  const nested = (open: string, close: string, levels: number) =>
    `${open.repeat(levels)}1${close.repeat(levels)}`;
  const texts = [
    `{"a":"${"x".repeat(propertiesBytesMax - 8)}"}`,
    `{"a":"${"\\ud800".repeat(Math.floor((propertiesBytesMax - 8) / 6))}"}`,
    `{"a":"${"😀".repeat((propertiesBytesMax - 8) / 4)}"}`,
    nested('{"a":', "}", propertiesDepthMax),
    `{"a":${nested("[", "]", propertiesDepthMax - 1)}}`,
    `{${Array.from({ length: 900 }, (_, n) => `"k${n}":${n % 10}`)}}`,
    `{"":{"":{"":[[],{},[{}],"",0,null,false]}}}`,
    '{"2":1,"1":2,"b":3,"a":4,"__proto__":{"__proto__":null}}',
  ].map((text) => JSON.stringify(JSON.parse(text)));
  const { name, token } = await app.makeProject("extremes");
  const events = texts.map((text) => `{"event":"e","properties":${text}}`);
  const response = await app.send("POST", "/track/batch", {
    body: `{"token":"${token}","events":[${events}]}`,
  });
  expect(response.status).toBe(202);
  const answer = await app.send("GET", `/events?project=${name}&limit=100`, { key: app.key });
  const { events: rows } = (await answer.json()) as { events: { properties: unknown }[] };
  expect(rows.map(({ properties }) => JSON.stringify(properties)).sort()).toEqual(texts.sort());
});
