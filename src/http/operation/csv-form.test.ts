import { expect, test } from "bun:test";
import { Reply } from "../edge/reply";
import { inFormAsked } from "./csv-form";
import { DataLog } from "./data-read";

const terms = { format: "csv", headers: new Headers(), data: new DataLog(false) };

test("a large table lets others in while it is written", async () => {
  const rows = Array.from({ length: 400 }, () => ({ text: "\u200b".repeat(1_000) }));
  const toForm = inFormAsked(
    "GET /events",
    { of: (answer: typeof rows) => ({ columns: ["text"], rows: answer }) },
    terms,
    {},
  );
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const reply = await toForm(new Reply(200, JSON.stringify(rows)));
  isDone = true;
  const { json: text } = reply as Reply<unknown>;
  expect(text).toBe(`text\r\n${`${"\\u{200B}".repeat(1_000)}\r\n`.repeat(400)}`);
  // 3.2 MB in pieces of 64 KiB.
  expect(turns).toBeGreaterThan(40);
});
