import { afterAll, describe, expect, test } from "bun:test";
import { Files, linesOf, nowMs, onlyEvent, outcomesOf } from "./files";

const files = new Files();
afterAll(() => files.remove());

const lines = (...objects: readonly object[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join("");
const codes = async (content: string): Promise<string[]> => outcomesOf(await files.rows(content));

describe("events in our own form", () => {
  test("are JSON lines, one list, or a table; other fields are properties", async () => {
    const event = { event: "signup", timestamp: 1_794_925_170_000, user_id: "p1", plan: "pro" };
    const expected = {
      ...{ name: "signup", timeMs: 1_794_925_170_000, userId: "p1", sessionId: null },
      ...{ country: "DE", eventId: "e-1", foreignId: "e-1" },
    };
    const json = { ...event, event_id: "e-1", country: "de-BE", properties: { n: 7 } };
    const properties = { plan: "pro", n: 7 };
    expect(onlyEvent(await files.rows(lines(json)))).toEqual({ ...expected, properties });
    expect(onlyEvent(await files.rows(`\uFEFF [\n${JSON.stringify(json)}\n]`))).toEqual({
      ...{ ...expected, properties },
    });
    const table = `\uFEFFplan,event_id,country,timestamp,user_id,event,session_id,properties\r
pro,e-1,DE,1794925170000,p1,signup,\\N,"{""n"":7}"\r
`;
    expect(onlyEvent(await files.rows(table))).toEqual({ ...expected, properties });
  });

  test("have times in ms or ISO; one without a zone is of the zone that the import names", async () => {
    const timeOf = async (timestamp: unknown, timeZone = "UTC") => {
      const rows = await files.rows(lines({ event: "a", timestamp }), { timeZone });
      return new Date(onlyEvent(rows).timeMs).toISOString();
    };
    expect(await timeOf("2026-07-01T10:00:00+02:00")).toBe("2026-07-01T08:00:00.000Z");
    expect(await timeOf("1782900000000")).toBe("2026-07-01T10:00:00.000Z");
    expect(await timeOf("2026-07-01 10:00:00", "Europe/Berlin")).toBe("2026-07-01T08:00:00.000Z");
    expect(await timeOf("2026-07-01T10:00:00Z", "Europe/Berlin")).toBe("2026-07-01T10:00:00.000Z");
    // Clocks showed this hour twice, and the next one never.
    expect(await timeOf("2025-10-26 02:30:00", "Europe/Berlin")).toBe("2025-10-26T00:30:00.000Z");
    expect(await timeOf("2026-03-29 02:30:00", "Europe/Berlin")).toBe("2026-03-29T01:30:00.000Z");
  });

  test("are refused as /track refuses them, at any age, and never after now", async () => {
    const timestamp = Date.parse("2011-01-01");
    expect(
      await codes(
        lines(
          { event: "a", timestamp },
          { event: "a", timestamp: nowMs },
          { event: "a", timestamp: nowMs + 1 },
          { event: "a", timestamp: -1 },
          { event: "a", timestamp: "soon" },
          { event: "a" },
          { event: "", timestamp },
          { timestamp },
          { event: "a".repeat(257), timestamp },
          { event: "a", timestamp, user_id: "u".repeat(257) },
          { event: "a", timestamp, event_id: "e".repeat(257) },
          { event: "a", timestamp, user_id: {} },
          { event: "a", timestamp, properties: "no object" },
          { event: "a", timestamp, properties: { text: "x".repeat(8_192) } },
        ),
      ),
    ).toEqual([
      ...["event", "event", "INVALID_TIMESTAMP", "INVALID_TIMESTAMP", "INVALID_TIMESTAMP"],
      ...["INVALID_TIMESTAMP", "MISSING_FIELDS", "MISSING_FIELDS", "MISSING_FIELDS"],
      ...["MISSING_FIELDS", "MISSING_FIELDS", "INVALID_BODY", "INVALID_BODY"],
      "PROPERTIES_TOO_LARGE",
    ]);
  });

  test("lose email addresses, and ids of another form are hashed", async () => {
    const properties = { email: "ann@example.com", n: 1 };
    const [event, again] = await Promise.all(
      ["an id: 1", "an id: 1"].map(async (event_id) =>
        onlyEvent(await files.rows(lines({ event: "a", timestamp: 1, event_id, properties }))),
      ),
    );
    expect(event?.properties).toEqual({ n: 1 });
    expect(event?.eventId).toMatch(/^[0-9a-f]{32}$/);
    expect(event?.foreignId).toBe(again?.eventId ?? "");
  });

  test("with numbers as texts are refused like those of /track, and the next ones are read", async () => {
    const event = { event: "a", timestamp: 1 };
    const wrong = ["event", "user_id", "session_id", "event_id"].map((name) => ({
      ...event,
      [name]: 5,
    }));
    const rows = await files.rows([event, ...wrong, event].map((one) => lines(one)).join(""));
    expect(outcomesOf(rows)).toEqual(["event", ...wrong.map(() => "INVALID_BODY"), "event"]);
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("have line numbers of the file; a record that is none is refused, and the next ones are read", async () => {
    const rows = await files.rows(
      '{"event":"a","timestamp":1}\n\nno JSON\n[1]\n{"event":"b","timestamp":1}',
    );
    expect(linesOf(rows)).toEqual([
      ...[
        [1, "event"],
        [3, "refused"],
        [4, "refused"],
        [5, "event"],
      ],
    ]);
    const table = 'event,timestamp,note\na,1,"two\nlines"\n\nb,1\nc,1,"x"y\nd,1,é\n';
    expect(linesOf(await files.rows(table))).toEqual([
      ...[
        [2, "event"],
        [5, "refused"],
        [6, "refused"],
        [7, "event"],
      ],
    ]);
  });
});
