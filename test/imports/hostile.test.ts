import { afterAll, describe, expect, test } from "bun:test";
import { deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";
import { unpackedBytesMax } from "../../src/ingest/imports/file/broken";
import { openImportFile } from "../../src/ingest/imports/file/open";
import { ByteMeter } from "../../src/ingest/imports/file/unpack";
import { eventsOf, Files, outcomesOf, type ReadOptions } from "./files";
import { type ZipEntry, zip } from "./zip";

const files = new Files();
afterAll(() => files.remove());

/** The code of the error with which a file ends, or `read`. */
async function codeOf(content: string | Uint8Array, options: ReadOptions = {}): Promise<string> {
  try {
    await files.rows(content, options);
    return "read";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

const events = Array.from({ length: 5_000 }, (_, index) =>
  JSON.stringify({ event: `e${index}`, timestamp: index, properties: { r: Math.sin(index) } }),
).join("\n");

describe("a packed file", () => {
  test("is read whole, also where it has several members", async () => {
    const half = events.indexOf("\n", events.length / 2) + 1;
    const halves = [events.slice(0, half), events.slice(half)];
    for (const pack of [gzipSync, zstdCompressSync]) {
      const packed = new Uint8Array(Buffer.concat(halves.map((text) => pack(text))));
      expect(eventsOf(await files.rows(packed)).length).toBe(5_000);
    }
  });

  test("is refused where it is cut short, damaged, or followed by something", async () => {
    for (const packed of [gzipSync(events), zstdCompressSync(events)]) {
      for (const bytes of [1, 4, 30_000]) {
        expect(await codeOf(packed.subarray(0, packed.length - bytes))).toBe("IMPORT_BROKEN");
      }
      expect(await codeOf(Buffer.concat([packed, Buffer.from("more")]))).toBe("IMPORT_BROKEN");
      const damaged = Buffer.from(packed);
      const middle = Math.floor(packed.length / 2);
      damaged.fill(0xaa, middle, middle + 20);
      expect(await codeOf(damaged)).toBe("IMPORT_BROKEN");
    }
  });

  test("may have 16 GiB once it is unpacked, and not a byte more", () => {
    const meter = new ByteMeter();
    meter.count(unpackedBytesMax);
    expect(() => meter.count(1)).toThrow(expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" }));
    // Another pass over the same file counts from zero.
    meter.startPass(1, 2);
    meter.count(unpackedBytesMax);
  });

  test("that is a bomb costs no memory", async () => {
    const zeros = Buffer.alloc(64 * 1024 ** 2);
    const before = process.memoryUsage.rss();
    expect(await codeOf(gzipSync(zeros))).toBe("IMPORT_BROKEN");
    expect(await codeOf(zstdCompressSync(Buffer.concat([Buffer.from("{}\n"), zeros])))).toBe(
      "IMPORT_BROKEN",
    );
    expect(process.memoryUsage.rss() - before).toBeLessThan(250 * 1024 ** 2);
  });
});

describe("an archive", () => {
  const one = (entry: Partial<ZipEntry>): Uint8Array =>
    zip([{ name: "events.jsonl", content: events, ...entry }]);

  test("is read, from folders too, and without what systems add", async () => {
    const added = { content: "x" };
    const archive = zip([
      { name: "a/", content: "" },
      { name: "a/.DS_Store", ...added },
      { name: "a/events.jsonl", content: events },
      { name: "b/events.jsonl", content: events },
      { name: "b/readme.txt", ...added },
    ]);
    expect(eventsOf(await files.rows(archive)).length).toBe(10_000);
  });

  test("is refused where an entry lies about itself", async () => {
    const { length } = events;
    for (const says of [
      { size: length - 1 },
      { size: length + 1 },
      { crc: 7 },
      { flags: 0x801 },
      { method: 12 },
      { method: 0 },
      { offset: 5 },
      { offset: 4_000_000_000 },
    ]) {
      expect([says, await codeOf(one({ says }))]).toEqual([says, "IMPORT_BROKEN"]);
    }
  });

  test("is not unpacked beyond the size that an entry names", async () => {
    const content = Buffer.alloc(32 * 1024 ** 2, "x");
    const path = await files.write(one({ content, says: { size: 100 } }));
    const [entry] = (await openImportFile(path)).entries;
    let bytes = 0;
    const read = async () => {
      for await (const piece of entry?.read() ?? []) bytes += piece.byteLength;
    };
    await expect(read()).rejects.toMatchObject({ code: "IMPORT_BROKEN" });
    expect(bytes).toBeLessThan(1024 ** 2);
  });

  test("is refused where a name leads out of it, or is there twice", async () => {
    for (const name of [
      "../events.jsonl",
      "a/../../events.jsonl",
      "/etc/events.jsonl",
      "C:/x.jsonl",
    ]) {
      expect([name, await codeOf(one({ name }))]).toEqual([name, "IMPORT_BROKEN"]);
    }
    expect(await codeOf(one({ name: "x".repeat(513) }))).toBe("IMPORT_BROKEN");
    const entry = { name: "events.jsonl", content: events };
    expect(await codeOf(zip([entry, entry]))).toBe("IMPORT_BROKEN");
  });

  test("is refused where it is cut short, empty, or its directory is damaged", async () => {
    const archive = one({});
    expect(await codeOf(archive.subarray(0, archive.length - 1))).toBe("IMPORT_BROKEN");
    expect(await codeOf(archive.subarray(0, archive.length / 2))).toBe("IMPORT_BROKEN");
    expect(await codeOf(zip([]))).toBe("IMPORT_BROKEN");
    const damaged = Buffer.from(archive);
    damaged.fill(0, archive.length - 60, archive.length - 30);
    expect(await codeOf(damaged)).toBe("IMPORT_BROKEN");
    const packed = deflateRawSync(events);
    const inside = Buffer.from(archive);
    inside.fill(0x55, 42 + packed.length / 2, 42 + packed.length / 2 + 30);
    expect(await codeOf(inside)).toBe("IMPORT_BROKEN");
  });

  test("may have 10,000 files; more are refused before one of them is looked at", async () => {
    const tiny = Array.from({ length: 10_000 }, (_, index) => ({
      name: `${index}.jsonl`,
      content: "{}",
    }));
    expect(await codeOf(zip(tiny))).toBe("IMPORT_BROKEN");
    const path = await files.write(zip(tiny.slice(0, 1), 10_001));
    const message = await files
      .rows(await Bun.file(path).bytes())
      .catch((error: Error) => error.message);
    expect(message).toContain("10000");
  });

  test("is refused where its entries say that they have more than 16 GiB together", async () => {
    const says = { size: 0xffff_fff0 };
    const many = Array.from({ length: 5 }, (_, index) => ({
      name: `${index}.jsonl`,
      content: events,
      says,
    }));
    expect(await codeOf(zip(many))).toBe("PAYLOAD_TOO_LARGE");
    expect(await codeOf(zip(many.slice(1)))).toBe("IMPORT_BROKEN");
  });
});

describe("a file of no kind", () => {
  test("is broken, whatever is in it", async () => {
    const random = crypto.getRandomValues(new Uint8Array(50_000));
    for (const content of [
      ...[
        "",
        "\n\n",
        "\0",
        "hello",
        "{}",
        '{"a":1}\n',
        "[]",
        "[1,2]",
        "null",
        '"',
        "\uFEFF",
        "PK\x03\x04",
      ],
      ...[new Uint8Array([0x1f, 0x8b]), new Uint8Array([0x28, 0xb5, 0x2f, 0xfd]), random],
      ...["x".repeat(6_000_000), `a,"${"x".repeat(3_000_000)}`, "{".repeat(2_000_000)],
      Buffer.from("event,timestamp\na,1\n", "utf16le"),
    ]) {
      expect([content.slice(0, 20), await codeOf(content)]).toEqual([
        ...[content.slice(0, 20), "IMPORT_BROKEN"],
      ]);
    }
  });

  test("that has sums without dates says so: a dashboard's download, a report of pages", async () => {
    const dashboard = zip([
      { name: "pages.csv", content: "x,y\n/,120\n/preise,7\n" },
      { name: "browsers.csv", content: "x,y\nchrome,99\n" },
    ]);
    const report = `# ----------------------------------------
# Pages and screens
# Start date: 20260101
# ----------------------------------------
Page path,Views,Active users,Average engagement time per active user
/,120,80,12.5
/preise,7,5,3.1
`;
    for (const kind of [undefined, "umami", "ga4", "plausible"] as const) {
      const options = kind === undefined ? {} : { kind };
      expect([kind, await codeOf(dashboard, options)]).toEqual([kind, "IMPORT_NO_DATES"]);
      expect([kind, await codeOf(report, options)]).toEqual([kind, "IMPORT_NO_DATES"]);
    }
    const ofPlausible = "date,visitors,pageviews,bounce_rate\n2026-01-01,1,2,50\n";
    expect(await codeOf(ofPlausible)).toBe("IMPORT_NO_DATES");
    expect(await codeOf('{"event":"a","user_id":"u"}\n', { kind: "events" })).toBe(
      "IMPORT_NO_DATES",
    );
    expect(await codeOf("event,user_id\na,u\n", { kind: "events" })).toBe("IMPORT_NO_DATES");
  });

  test("is named where it is of another kind than the import says", async () => {
    const content = "event,timestamp\na,1\n";
    expect(await codeOf(content, { kind: "events" })).toBe("read");
    const message = await files
      .rows(content, { kind: "umami" })
      .catch((error: Error) => error.message);
    expect(message).toContain('"events"');
  });
});

describe("a hostile record", () => {
  test("is refused alone: NUL, no UTF-8, half a character, deep nesting, too much of it", async () => {
    const good = '{"event":"a","timestamp":1}';
    const bad = [
      ...['{"event":"a\0","timestamp":1}', '{"event":"\\ud800","timestamp":1}'],
      `{"event":"a","timestamp":1,"properties":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      `{"event":"a","timestamp":1,"x":"${"x".repeat(1024 * 1024)}"}`,
    ];
    const bytes = Buffer.concat([
      Buffer.from([good, ...bad, ""].join("\n")),
      Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]),
      Buffer.from(good),
    ]);
    const rows = await files.rows(bytes);
    expect(outcomesOf(rows)).toEqual([
      ...["event", "INVALID_BODY", "MISSING_FIELDS", "INVALID_BODY", "PAYLOAD_TOO_LARGE"],
      ...["INVALID_BODY", "event"],
    ]);
  });

  test("cannot change what objects are", async () => {
    const json = '{"event":"a","timestamp":1,"properties":{"__proto__":{"x":1},"constructor":2}}';
    const table = "event,timestamp,__proto__,constructor\na,1,x,y\n";
    for (const content of [json, table]) {
      const [event] = eventsOf(await files.rows(content));
      expect(event?.name).toBe("a");
      expect(Object.getPrototypeOf(event?.properties)).toBe(Object.prototype);
    }
    expect({}).not.toHaveProperty("x");
  });
});
