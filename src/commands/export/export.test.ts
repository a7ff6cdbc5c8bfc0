import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { type TestApp, testApp } from "../../../test/support/app/app";

const main = join(import.meta.dir, "..", "..", "main.ts");
const folder = mkdtempSync(join(tmpdir(), "sightline-export-"));
let app: TestApp;
let origin: string;
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  for (let index = 0; index < 40; index++) {
    const properties = { text: `é${"x".repeat(index * 40)}\n` };
    await app.track(shop, { event: "buy", user_id: `u${index % 3}`, properties });
  }
  await app.post("/identify", { token: shop.token, previous_id: "u0", user_id: "ann" });
  origin = app.listen();
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

/** Runs the command in a folder of the tests, as somebody would. */
async function run(...parameters: readonly string[]) {
  const child = Bun.spawn([process.execPath, main, "export", ...parameters], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", SIGHTLINE_API_KEY: app.key },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, printed, complaint };
}
const shop = () => ["--project", "shop", "--url", origin];
const inFolder = (name: string) => join(folder, name);
const plainOf = async (query: string): Promise<string> => {
  const answer = await app.open(`/export?project=shop&${query}`, { key: app.key });
  return answer.text();
};

test("by default it is everything, packed, under the name of the project and the date", async () => {
  const { exitCode, printed, complaint } = await run(...shop());
  const [, name = ""] = /Wrote (\S+): 41 rows, complete\.\n$/.exec(complaint) ?? [];
  expect([exitCode, printed]).toEqual([0, ""]);
  expect(name).toMatch(/^shop-\d{4}-\d\d-\d\d\.jsonl\.zst$/);
  expect(zstdDecompressSync(readFileSync(inFolder(name))).toString()).toBe(
    await plainOf("kind=all"),
  );
});

test("- is standard output; the file's ending packs it, and names the format", async () => {
  const some = ["--kind", "identities"];
  expect((await run(...shop(), ...some, "--out", "-")).printed).toBe(
    await plainOf("kind=identities"),
  );
  expect((await run(...shop(), "--out=events.csv.gz")).exitCode).toBe(0);
  expect(gunzipSync(readFileSync(inFolder("events.csv.gz"))).toString()).toBe(
    await plainOf("format=csv"),
  );
  expect((await run(...shop(), "--out=events.parquet")).exitCode).toBe(0);
  const file = new Uint8Array(readFileSync(inFolder("events.parquet"))).buffer;
  expect((await parquetReadObjects({ file })).length).toBe(40);
});

describe("a file that was cut", () => {
  /** A file of everything as it would have begun at another time. */
  const earlier = async (): Promise<Buffer> =>
    Buffer.from((await plainOf("kind=all")).replace(/"exported_at":\d+/, '"exported_at":1'));
  const afterCut = async (begun: string | Buffer, ...more: string[]): Promise<Buffer> => {
    writeFileSync(inFolder("cut.jsonl"), begun);
    const { exitCode } = await run(...shop(), "--out", "cut.jsonl", ...more);
    expect(exitCode).toBe(0);
    return readFileSync(inFolder("cut.jsonl"));
  };

  test("is continued after its last whole event, and becomes the one that was not cut", async () => {
    const whole = await earlier();
    const firstEvent = whole.indexOf("\n", whole.indexOf('{"kind":"event"')) + 1;
    const lastLine = whole.indexOf('{"kind":"end"');
    for (const cut of [firstEvent, firstEvent + 900, lastLine, whole.byteLength - 1]) {
      const file = await afterCut(whole.subarray(0, cut));
      expect([cut, file.subarray(0, lastLine)]).toEqual([cut, whole.subarray(0, lastLine)]);
      const sha256 = createHash("sha256").update(file.subarray(0, lastLine)).digest("hex");
      const end = JSON.parse(whole.subarray(lastLine).toString());
      expect(JSON.parse(file.subarray(lastLine).toString())).toEqual({ ...end, sha256 });
    }
  });

  test("is begun again where there is nothing to go on after, or where it is of something else", async () => {
    const begun = (await earlier()).toString();
    const beforeEvents = begun.slice(0, begun.indexOf('{"kind":"event"'));
    const ofOther = begun.slice(0, -200).replace('"project":"shop"', '"project":"other"');
    const whole = await plainOf("kind=all");
    for (const file of ["", "x", beforeEvents, ofOther, begun]) {
      expect((await afterCut(file)).toString()).toBe(whole);
    }
    const events = (await afterCut(begun.slice(0, -200), "--kind", "events")).toString();
    expect(events).toBe(await plainOf("kind=events"));
  });
});

describe("a connection that is cut", () => {
  /** Forwards the first bytes of an answer, and hangs up. */
  const cutter = (bytesMax: number) =>
    Bun.serve({
      port: 0,
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        const answer = await fetch(`${origin}${pathname}${search}`, { headers: request.headers });
        const bytes = await answer.bytes();
        return new Response(bytes.subarray(0, bytesMax), { headers: answer.headers });
      },
    });

  test.each(["cut.csv.gz", "cut.jsonl.gz", "cut.jsonl.zst", "cut.jsonl", "cut.parquet"])(
    "is noticed in %s",
    async (name) => {
      const server = cutter(300);
      const { exitCode, complaint } = await run(
        ...["--project", "shop", "--url", server.url.href, "--out", `lost-${name}`],
      );
      await server.stop(true);
      expect([exitCode, complaint]).toEqual([
        3,
        expect.stringContaining("Run the same command again"),
      ]);
    },
  );
});

describe("the exit code", () => {
  test("is 1 when the server refuses, whose words are on standard error, and no file is made or changed", async () => {
    writeFileSync(inFolder("old.jsonl"), "old");
    const none = await run("--project", "none", "--url", origin, "--out", "old.jsonl");
    expect([none.exitCode, none.printed]).toEqual([1, ""]);
    expect(none.complaint).toStartWith("NOT_FOUND: ");
    expect(readFileSync(inFolder("old.jsonl"), "utf8")).toBe("old");
  });

  test("is 2 for a value that the server does not take, with its words", async () => {
    for (const wrong of [
      ["--kind", "all", "--format", "csv"],
      ["--kind", "everything"],
      ["--format", "xml"],
      ["--since", "yesterday"],
      ["--until", "2026-13-01"],
    ]) {
      const { exitCode, complaint } = await run(...shop(), ...wrong, "--out", "x.csv");
      const says = /^[A-Z_]+: .*sightline export/s.test(complaint);
      expect([wrong, exitCode, says]).toEqual([wrong, 2, true]);
    }
  });

  test("is 1 for a file that cannot be written", async () => {
    for (const out of ["no-folder/x.jsonl", "."]) {
      const { exitCode, complaint } = await run(...shop(), "--out", out);
      expect([exitCode, complaint]).toEqual([1, expect.stringContaining(`Cannot write ${out} `)]);
    }
  });

  test("is 2 for wrong usage, with the command's help", async () => {
    for (const wrong of [
      ["--url", origin],
      ["--project"],
      ["--project", "a", "--project", "b"],
      ["--project", "shop", "file.jsonl"],
      ["--project", "shop", "--fast"],
      ["--project", "shop", "--url", "stats.example.com"],
    ]) {
      const { exitCode, complaint } = await run(...wrong);
      expect([wrong, exitCode, complaint.includes("sightline export")]).toEqual([wrong, 2, true]);
    }
  });

  test("is 3 when the server cannot be reached", async () => {
    const { exitCode, complaint } = await run("--project", "shop", "--url", "http://127.0.0.1:9");
    expect([exitCode, complaint]).toEqual([3, expect.stringContaining("cannot be reached")]);
  });
});
