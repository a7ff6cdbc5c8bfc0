import { afterAll, expect, test } from "bun:test";
import { Files, openAt, outcomesOf } from "./files";
import { zip } from "./zip";

/* Each file of an archive is read, named as one that is not, or the reason to refuse the archive. */

const files = new Files();
afterAll(() => files.remove());

const list = `${JSON.stringify({ event: "a", timestamp: 1_700_000_000_000 })}\n`;
const table = "event,timestamp\nb,1700000000000\n";
const posthog = `${JSON.stringify({ event: "c", distinct_id: "d", timestamp: "2025-01-01T00:00:00Z" })}\n`;
const pages = "date,page,visitors\n2025-01-01,/a,1\n";
const noise = { name: "photo.png", content: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]) };

const broken = (...texts: readonly string[]) =>
  expect.objectContaining({
    code: "IMPORT_BROKEN",
    message: expect.stringMatching(new RegExp(texts.join(".*"))),
  });

test("files of two kinds are refused, whichever comes first", async () => {
  for (const [one, other] of [
    ["events.jsonl", posthog],
    ["events.jsonl", pages],
    ["events.csv", pages],
    ["events.csv", list],
  ] as const) {
    const own = { name: one, content: one.endsWith("csv") ? table : list };
    const second = { name: "other", content: other };
    for (const entries of [
      [own, second],
      [second, own],
    ]) {
      const path = await files.write(zip(entries));
      await expect(openAt(path)).rejects.toThrow(broken("Upload the files of each form"));
    }
  }
});

test("a kind that is named, and files beyond the first twenty, change nothing about that", async () => {
  const many = Array.from({ length: 24 }, (_, at) => ({ name: `${at}.jsonl`, content: list }));
  const path = await files.write(zip([...many, { name: "last.jsonl", content: posthog }]));
  await expect(openAt(path, { kind: "events" })).rejects.toThrow(broken("last.jsonl", "0.jsonl"));
});

test("a list of GoatCounter's page views beside its archive of sums is refused", async () => {
  const path = await files.write(
    zip([
      { name: "info.json", content: "{}" },
      { name: "hit_stats.jsonl", content: "" },
      { name: "hits.csv", content: "2Path,Title,Event\n/,,0\n" },
    ]),
  );
  await expect(openAt(path)).rejects.toThrow(broken("hits.csv", 'the kind "goatcounter"'));
});

test("files of no kind are named, and the others are read", async () => {
  const path = await files.write(
    zip([
      { name: "notes.txt", content: 'by "hand' },
      { name: "2024/events.jsonl", content: list },
      noise,
      { name: "2025/events.jsonl", content: list },
    ]),
  );
  const opened = await openAt(path);
  const rows = [];
  for await (const piece of opened.pieces()) rows.push(...piece);
  expect(outcomesOf(rows)).toEqual(["event", "event"]);
  expect([opened.files, opened.unread()]).toEqual([4, ["notes.txt", "photo.png"]]);
});

test("a file that is no archive has nothing unread", async () => {
  const opened = await openAt(await files.write(list));
  for await (const _ of opened.pieces());
  expect([opened.files, opened.unread()]).toEqual([1, []]);
});
