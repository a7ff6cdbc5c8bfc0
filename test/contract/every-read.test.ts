import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { definitionsVersion } from "../../src/domain/definitions-version";
import { noonMs } from "../support/app/app";
import { parseCsv, valueOfCell } from "../support/app/csv";
import {
  type AskedRead,
  askedReads,
  asking,
  examplesOfReads,
  ofNow,
  openReads,
  plantedWord,
  type ReadWorld,
} from "../support/app/every-read";
import { bearer, tokenOf } from "../support/app/shares";
import { textsOf, visitorsPaths } from "../support/app/strange-texts";

/** What holds for every read that there is: a new one is asked here by its example. */
let world: ReadWorld;
beforeAll(async () => {
  world = await openReads();
});
afterAll(() => world.app.close());

const labelled = askedReads.map((asked) => [asked.label, asked] as const);
const withData = labelled.filter(([, { operation }]) => !ofNow.includes(operation.name));
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("with a receipt", () => {
  test.each(withData)("%s is the answer without it, and can be asked again", async (_, asked) => {
    const text = await (await world.ask(asked)).text();
    const { receipt, whole, headers } = await world.withReceipt(asked);
    expect(whole.startsWith(`${text.slice(0, -1)},"receipt":{`)).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(receipt))).toBeLessThanOrEqual(1_500);
    expect(receipt).toMatchObject({
      definitions: definitionsVersion,
      through: noonMs,
      body_sha256: sha256(text),
    });
    expect(headers.get("x-definitions")).toBe(definitionsVersion);
    expect(headers.get("x-data-version")).toBe(String(receipt.data_version));
    expect(headers.get("x-data-through")).toBe(String(receipt.through));
    expect(await world.again(receipt)).toMatchObject({
      ...{ request: receipt.request, body_sha256: receipt.body_sha256 },
    });
  });
});

/** Reads without dates, and those whose dates stay UTC. */
const withoutZone: Readonly<Record<string, string>> = {
  "GET /bot-traffic": "counted by UTC dates as it comes",
  "GET /account/bot-traffic": "counted by UTC dates as it comes",
  "GET /history": "sums of days of the project's zone",
  "GET /experiments": "what was set up: no numbers, and times are moments",
  ...{ "GET /stream": "times are moments", "GET /live/ws": "the same; snapshots have a zone" },
};

describe("in a time zone", () => {
  test("every read is asked but for those named here", () => {
    const reads = world.app.operations.filter(({ rule }) => rule.read);
    const without = reads.filter(({ takes }) => takes.properties?.tz === undefined);
    expect(without.map(({ name }) => String(name)).sort()).toEqual(Object.keys(withoutZone).sort());
    const all = new Set(asking("tz").map(([, { operation }]) => operation.name));
    expect(all.size).toBe(reads.length - without.length);
  });

  test.each(asking("tz"))(
    "%s: UTC changes nothing, others give dates of theirs",
    async (_, asked) => {
      const { tz: _tz, ...fields } = asked.fields;
      const unsaid = { ...asked, fields };
      expect(await world.answer(unsaid, { tz: "utc" })).toEqual(await world.answer(unsaid));
      expect((await world.ask(unsaid, { tz: "Asia/Kolkata" })).status).toBe(200);
      if (ofNow.includes(asked.operation.name)) return;
      // Half an hour off, and a window across the change of clocks on 26 October 2025.
      for (const [tz, more] of [
        ["Asia/Kolkata", {}],
        ["Europe/Berlin", world.sinceAutumn(unsaid)],
      ] as const) {
        const { receipt } = await world.withReceipt(unsaid, { tz, ...more });
        const { start, end } = receipt.window ?? {};
        for (const at of [start, end]) expect([tz, clockAt(at, tz)]).toEqual([tz, "00:00:00"]);
        expect(await world.again(receipt)).toMatchObject({
          ...{ request: receipt.request, body_sha256: receipt.body_sha256 },
        });
      }
    },
  );

  test.each(asking("tz", examplesOfReads))(
    "%s refuses a zone that nobody has",
    async (_, asked) => {
      const refused = async (tz: string) => {
        const response = await world.ask(asked, { tz });
        const { error, field, message } = (await response.json()) as Record<string, string>;
        return [response.status, error, field, message];
      };
      const [status, error, field, message] = await refused("Europe/Berlni");
      const missed = [400, "MISSING_FIELDS", "tz"];
      expect([status, error, field]).toEqual(missed);
      expect(message).toContain('Did you mean "Europe/Berlin"?');
      expect((await refused("+05:30")).slice(0, 3)).toEqual(missed);
    },
  );

  const clockAt = (time: unknown, timeZone: string): string =>
    new Date(String(time)).toLocaleTimeString("en-GB", { timeZone });
});

describe("with filters", () => {
  /** Several questions have filters of their own. */
  const filtered = asking("filters").filter(([, { fields }]) => fields.queries === undefined);
  /** The answer with more filters, without its cursor, which belongs to one question. */
  const answer = async (asked: AskedRead, ...more: readonly object[]) => {
    const { filters = [] } = asked.fields as { filters?: readonly object[] };
    const all = more.length === 0 ? {} : { filters: [...filters, ...more] };
    const { next_cursor: _, ...rest } = await world.answer(asked, all);
    return rest;
  };
  type Refusal = { error: string; allowed?: readonly string[]; suggested_field?: string };

  test("every read that takes some may answer with warnings", () => {
    expect(new Set(filtered.map(([, { operation }]) => operation)).size).toBeGreaterThan(13);
    const answers = filtered.map(([label, { operation }]) => [
      label,
      JSON.stringify(operation.returns),
    ]);
    const warned = expect.stringContaining('"warnings":');
    expect(answers).toEqual(answers.map(([label]) => [label, warned]));
  });

  test.each(filtered)(
    "%s: one that all events pass changes nothing, one that none pass all",
    async (_, asked) => {
      const whole = await answer(asked);
      for (const prefix of ["", "session."]) {
        const [every, none] = [
          { field: `${prefix}country`, op: "is_null" },
          { field: prefix === "" ? "country" : "session.entry_page", op: "eq", value: "XX" },
        ];
        expect(await answer(asked, every)).toEqual(whole);
        expect(await answer(asked, none)).not.toEqual(whole);
      }
      expect(await answer(asked, { did: "<event>" })).not.toEqual(whole);
    },
  );

  test.each(asking("filters", examplesOfReads))(
    "%s refuses what it does not know of a filter",
    async (_, asked) => {
      const refusal = async (filter: object) => {
        const response = await world.ask(asked, { filters: [filter] });
        expect(response.status).toBe(400);
        return (await response.json()) as Refusal;
      };
      const refused = async (filter: object) => {
        const { error, allowed, suggested_field } = await refusal(filter);
        return [error, allowed?.length ?? suggested_field];
      };
      expect(await refused({ field: "n", op: "eq", value: 1 })).toEqual([
        ...["INVALID_FILTER_FIELD", "properties.n"],
      ]);
      expect(await refused({ field: "event", op: "is", value: 1 })).toEqual([
        ...["INVALID_FILTER_OP", 12],
      ]);
      expect(await refused({ field: "properties.a b", op: "eq", value: 1 })).toEqual([
        ...["INVALID_PROPERTY_KEY", undefined],
      ]);
      for (const field of ["did", "session_did"]) {
        expect(await refusal({ field, op: "eq", value: "buy" })).toMatchObject({
          ...{ error: "INVALID_FILTER_FIELD", suggested_field: null },
          suggested_item: { [field]: "<event>" },
        });
      }
      expect(await refusal({ field: "plan", op: "eq", value: "pro" })).toMatchObject({
        error: "INVALID_FILTER_FIELD",
        suggested_field: "properties.plan",
        available_properties: {
          events: expect.arrayContaining([expect.objectContaining({ event: "page_view" })]),
          property_keys: expect.arrayContaining(["path", "plan"]),
        },
      });
      const lacking = await refusal({ field: "event", op: "eq" });
      expect(lacking).toHaveProperty("available_properties.events");
    },
  );

  const country =
    'The filter country = "Germany" matches nothing: countries are codes of two capital letters, such as "DE".';
  const channel =
    '"organic" is not a channel, so the filter matches nothing. Did you mean "Organic Search"?';
  const device =
    'No event in this period has the device "phone". The tracker sends desktop, mobile, tablet.';

  test.each(asking("filters", examplesOfReads))(
    "%s says which values no event can have",
    async (_, asked) => {
      const warned = async (...filters: readonly object[]) => {
        const { warnings = [] } = await answer(asked, ...filters);
        // The warnings of a funnel are texts, about its steps as well.
        return (warnings as (string | { message: string })[])
          .map((one) => (typeof one === "string" ? one : one.message))
          .filter((one) => !one.startsWith("Step "));
      };
      const warningsOf = (field: string, value: string) =>
        warned({ any: [{ field, op: "eq", value }, { did: "page_view" }] });
      expect(await warningsOf("country", "Germany")).toEqual([country]);
      expect(await warningsOf("session.channel", "organic")).toEqual([channel]);
      expect(await warningsOf("session.device", "phone")).toEqual([device]);
      expect(await warningsOf("country", "DE")).toEqual(await warned());
      expect(await warningsOf("properties.device", "mobile")).toEqual([
        'No event has the property "device" in this period. GET /properties lists the keys that exist.',
      ]);
    },
  );
});

describe("as a share", () => {
  const shared = labelled.filter(([, { operation }]) => operation.shares !== null);
  const pages = ["events", "sessions", "journeys", "replays", "identity", "user_id", "session_id"];
  let headers: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const body = { project: "shop", name: "S", pages };
    ({ headers } = bearer(tokenOf(await world.app.post("/shares", body))));
  });
  /** Only its owner sees that the account has recordings. */
  const seen = (text: string): unknown =>
    JSON.parse(text.replaceAll(',"has_replay":false,"replays":[]', ""));

  test.each(shared)("%s is answered as its owner is", async (_, asked) => {
    const [own, told] = [await world.ask(asked), await world.ask(asked, {}, { headers })];
    expect(told.status).toBe(200);
    expect(seen(await told.text())).toEqual(seen(await own.text()));
    expect(told.headers.get("x-data-version")).toBe(own.headers.get("x-data-version"));
  });
});

describe("as CSV", () => {
  const tables = labelled.filter(
    ([, { operation, fields }]) => operation.csv !== undefined && fields.queries === undefined,
  );
  test.each(tables)("%s has the rows of its answer", async (_, asked) => {
    const csv = { headers: { accept: "text/csv", "x-api-key": world.app.key } };
    const response = await world.ask(asked, {}, csv);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [header = [], ...records] = parseCsv(await response.text());
    const lists = Object.values(await world.answer(asked)).filter((value) => Array.isArray(value));
    const rows = lists.find(
      ([row]) => typeof row === "object" && header.every((name) => name in row),
    ) as Readonly<Record<string, unknown>>[];
    const read = records.map((record, at) =>
      Object.fromEntries(
        header.map((name, column) => [name, valueOfCell(record[column] ?? "", rows[at]?.[name])]),
      ),
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(read).toEqual(rows);
  });
});

describe("X-Untrusted-Fields", () => {
  const namedBy = ({ headers }: Response): readonly string[] =>
    headers.get("x-untrusted-fields")?.split(", ") ?? [];

  test.each(labelled)("%s names what its schema says visitors wrote", async (_, asked) => {
    const { operation, fields } = asked;
    const schema = operation.returns[200];
    const projects = fields.project === undefined ? [{}] : [{}, { project: "empty" }];
    for (const more of projects) {
      const response = await world.ask(asked, more);
      expect(response.status).toBe(200);
      const named = namedBy(response);
      const answer: unknown = JSON.parse(await response.text());
      expect([...named].sort()).toEqual([...visitorsPaths(schema, answer)].sort());
      // Whatever the schema says: a planted text that a caller did not send is named.
      const strange = textsOf(answer, plantedWord).filter(
        ({ text }) => !JSON.stringify(fields).includes(text),
      );
      const isNamed = (path: string) =>
        named.some(
          (one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`),
        );
      expect(strange.filter(({ path }) => !isNamed(path))).toEqual([]);
    }
  });
});

describe("whose client hangs up in the middle", () => {
  test.each(withData)("%s ends at once, and can be asked again", async (_, asked) => {
    const before = await world.answer(asked);
    const response = await world.ask(asked, {}, { key: world.app.key, hangsUp: true });
    const { error } = (await response.json()) as { error?: string };
    const asksTheStore = asked.operation.name !== "GET /experiments";
    expect([response.status, error]).toEqual(
      asksTheStore ? [400, "QUERY_FAILED"] : [200, undefined],
    );
    expect(await world.answer(asked)).toEqual(before);
  });
});
