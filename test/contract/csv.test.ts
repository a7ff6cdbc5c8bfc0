import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseCsv, valueOfCell } from "../support/app/csv";
import {
  type Answer,
  ask,
  closeHostileShop,
  json,
  openHostileShop,
  tables,
} from "../support/app/csv-shop";

/** The values of CSV: those of the JSON answer, once its cells are read back. */
beforeAll(openHostileShop);
afterAll(closeHostileShop);

describe("the CSV of", () => {
  test.each(tables)("%s has the values of %s", async (path, list, body) => {
    const rows = (await json(path, body))[list] as readonly Answer[];
    const { response, text } = await ask(path, body);
    const [header = [], ...records] = parseCsv(text);
    expect(rows.length).toBeGreaterThan(0);
    expect(header).toEqual(Object.keys(rows[0] ?? {}));
    const values = records.map((record) => {
      expect(record.length).toBe(header.length);
      const row = rows[records.indexOf(record)] ?? {};
      return Object.fromEntries(
        header.map((name, at) => [name, valueOfCell(record[at] ?? "", row[name])]),
      );
    });
    expect(values).toEqual([...rows]);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const name = path.replace(/^\/|\?.*$/g, "");
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${name}.csv"`);
  });

  test.each(tables)("%s has a header line when there is no row", async (path, list, body) => {
    const { text } = await ask(path, body);
    // Only rows can say whether their reader sees recordings.
    const optional = ["has_replay", "replays"];
    const columns = parseCsv(text)[0]?.filter((name) => !optional.includes(name));
    const nothing = [{ field: "event", op: "eq", value: "nothing" }];
    const empty = path.startsWith("/history")
      ? "&until=2001-01-01"
      : `&filters=${encodeURIComponent(JSON.stringify(nothing))}`;
    const none = path.includes("?") ? path + empty : path;
    const found = body && { ...body, filters: nothing };
    const rows = (await json(none, found))[list] as readonly Answer[];
    const [header, ...records] = parseCsv((await ask(none, found)).text);
    expect([header, records.length]).toEqual([columns, rows.length]);
    expect(rows.length).toBe(body && body.group_by === undefined ? 1 : 0);
  });
});
