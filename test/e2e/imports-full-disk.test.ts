import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { createProject, type Project, read, setUpAccount } from "../support/server/account";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";

/** The disk is full for files that would grow beyond a limit, which the kernel keeps for the process. */
const limitFiles = (bytes: number | "unlimited"): void => {
  const done = Bun.spawnSync([
    "prlimit",
    `--pid=${server.process.pid}`,
    `--fsize=${bytes}:unlimited`,
  ]);
  expect(done.success).toBe(true);
};
const mebibyte = 1024 * 1024;
const limitBytes = 4 * mebibyte;
const events = 1_200;

/** Noise that does not become smaller: some 9 MB. */
const file = Buffer.from(
  Array.from({ length: events }, (_, at) => {
    const noise = randomBytes(5_500).toString("base64");
    const timestamp = Date.now() - 86_400_000 + at;
    return `${JSON.stringify({ event: "page_view", user_id: `u${at}`, timestamp, noise })}\n`;
  }).join(""),
);

const folder = temporaryFolder();
let server: Server;
let headers: Readonly<Record<string, string>>;
let shop: Project;
let id = "";
beforeAll(async () => {
  server = await startServer({ dataDir: folder });
  const key = await setUpAccount(server.url);
  headers = { "X-API-Key": key };
  shop = await createProject(server.url, key, "shop");
});
afterAll(async () => {
  expect(await server.stop()).toBe(0);
  removeFolder(folder);
});

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly received: number;
  readonly error?: { readonly code: string; readonly message: string };
}
const shown = (): Promise<Shown> => read(server.url, headers["X-API-Key"], `/imports/${id}`);
const storedEvents = async (): Promise<number> => {
  const path = `/projects/${shop.id}`;
  const { total_events } = await read<{ total_events: number }>(
    ...([server.url, headers["X-API-Key"], path] as const),
  );
  return total_events;
};
const put = (from: number, to: number): Promise<Response> =>
  fetch(`${server.url}/imports/${id}/data?offset=${from}`, {
    ...{ method: "PUT", headers, body: file.subarray(from, to) },
    // A connection whose request was refused in the middle is not used again.
    keepalive: false,
  });
async function ended(what: "check" | "commit"): Promise<Shown> {
  const begun = await ask(server.url, "POST", `/imports/${id}/${what}`, headers, {});
  expect(begun.status).toBe(202);
  return eventually(async () => {
    const now = await shown();
    expect(now.state).not.toBeOneOf(["checking", "committing"]);
    return now;
  });
}
const noRoom = (what: string) => ({
  code: "UNAVAILABLE",
  message:
    "The disk of the server is full or does not work, so nothing of the file was stored. Once there is room, " +
    `${what} it again.`,
});

test("a part that finds no room is refused with 503, and goes on from where it was", async () => {
  const sha256 = createHash("sha256").update(file).digest("hex");
  const body = { project: "shop", size: file.length, sha256 };
  const made = await ask(server.url, "POST", "/imports", headers, body);
  ({ id } = JSON.parse(made.body));
  const half = 3 * mebibyte;
  expect((await put(0, half)).status).toBe(200);
  limitFiles(limitBytes);
  const refused = await put(half, file.length);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({ error: "UNAVAILABLE" });
  expect(await shown()).toMatchObject({ state: "uploading", received: half });
  limitFiles("unlimited");
  expect((await put(half, file.length)).status).toBe(200);
});

test("a check that finds no room says so, and can be made again", async () => {
  limitFiles(limitBytes);
  expect(await ended("check")).toMatchObject({ state: "failed", error: noRoom("check") });
  limitFiles("unlimited");
  const checked = await ended("check");
  expect(checked).toMatchObject({ state: "checked", report: { rows: { stored: events } } });
  expect(checked.error).toBeUndefined();
});

test("a check of which not even the failure can be noted is no end of the server", async () => {
  const begun = await ask(server.url, "POST", `/imports/${id}/check`, headers, {});
  expect(begun.status).toBe(202);
  limitFiles(1);
  // Where the check was faster than the limit it has ended well.
  await Bun.sleep(500);
  limitFiles("unlimited");
  await eventually(async () => expect((await shown()).state).not.toBe("checking"));
  expect(await ended("check")).toMatchObject({ state: "checked" });
});

test("a commit that finds no room stores nothing, and everything when it is asked for again", async () => {
  limitFiles(limitBytes);
  expect(await ended("commit")).toMatchObject({ state: "checked", error: noRoom("commit") });
  expect(await storedEvents()).toBe(0);
  limitFiles("unlimited");
  expect(await ended("commit")).toMatchObject({ state: "done" });
  expect(await storedEvents()).toBe(events);
});
