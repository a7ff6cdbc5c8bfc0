import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { randomFrom, randomSeed } from "../support/random/random";
import { createProject, type Project, read, setUpAccount } from "../support/server/account";
import { removeFolder, type Server, startServer, temporaryFolder } from "../support/server/server";
import { eventually } from "../support/suite/eventually";

const random = randomFrom(randomSeed());
const dataDir = temporaryFolder();
let server: Server;
let key = "";
let project: Project;

beforeAll(async () => {
  process.stdout.write(`kill -9 of imports: SEED=${random.seed}\n`);
  server = await startServer({ dataDir });
  key = await setUpAccount(server.url);
  project = await createProject(server.url, key, "garten");
});
afterAll(async () => {
  await server.kill();
  removeFolder(dataDir);
});

const eventCount = 20_000;
const dayCount = 40;
const userCount = 500;
const [minuteMs, dayMs] = [60_000, 86_400_000];
/** Retention keeps what is as young. */
const startMs = (Math.floor(Date.now() / dayMs) - 200) * dayMs;
const dateOf = (day: number): string => new Date(startMs + day * dayMs).toISOString().slice(0, 10);

/** An export with something of every kind: days before the first event, which is of the last of their dates. */
function exportedFile(): Uint8Array {
  const context = { goals: ["Grow"], activation_events: [], glossary: [], annotations: [] };
  const counts = { visitors: 1, visits: 1, page_views: 1, events: 1, bounces: 1, seconds: 1 };
  const lines: object[] = [
    { kind: "sightline", version: 1, project: "garten", timezone: "UTC", exported_at: startMs },
    { kind: "context", ...context },
  ];
  for (let user = 0; user < userCount; user++) {
    lines.push({ kind: "identity", previous_id: `anon-${user}`, user_id: `user-${user}` });
  }
  for (let user = 0; user < userCount; user++) {
    lines.push({ kind: "profile", user_id: `user-${user}`, traits: { plan: "pro" }, emails: [] });
  }
  for (let day = 0; day < dayCount; day++) {
    const [date, import_] = [dateOf(day), { id: "imp_before", kind: "plausible" }];
    const bot = { category: "ai_agent", actor: "GPTBot", requests: 2, dropped_events: 2 };
    lines.push({ kind: "bot_day", date, ...bot, last_seen_at: startMs + day * dayMs });
    lines.push({ kind: "day", date, dimension: "total", value: "", ...counts, import: import_ });
  }
  for (let at = 0; at < eventCount; at++) {
    const user_id = `user-${at % userCount}`;
    const event = { event: "page_view", user_id, session_id: `s${at >> 3}`, country: null };
    const timestamp = startMs + dayCount * dayMs + at * minuteMs;
    const properties = { path: `/page-${at % 97}`, n: at };
    lines.push({
      kind: "event",
      id: String(at).padStart(26, "0"),
      timestamp,
      ...event,
      properties,
    });
  }
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  const end = { kind: "end", count: lines.length - 1, last_id: null, sha256 };
  return new TextEncoder().encode(`${text}${JSON.stringify(end)}\n`);
}

interface ShownImport {
  readonly id: string;
  readonly state: string;
  readonly received: number;
  readonly report?: { readonly rows: Readonly<Record<string, number>> };
}
const send = (method: string, path: string, body?: object | Uint8Array): Promise<Response> =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    ...(body !== undefined && { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
    keepalive: false,
  });
const shown = (id: string): Promise<ShownImport> => read(server.url, key, `/imports/${id}`);

async function killAndStart(): Promise<void> {
  await server.kill();
  server = await startServer({ dataDir });
}

interface Seen {
  readonly events: number;
  readonly links: number;
  readonly profiles: number;
  readonly days: number;
  readonly automated: number;
  readonly contexts: number;
}
const nothing: Seen = { events: 0, links: 0, profiles: 0, days: 0, automated: 0, contexts: 0 };
const everything: Seen = {
  ...{ events: eventCount, links: userCount, profiles: userCount },
  ...{ days: dayCount, automated: dayCount, contexts: 1 },
};
/** The lines that an export of the project has, by their kinds. */
async function seen(): Promise<Seen> {
  const answer = await send("GET", `/export?project=${project.id}&kind=all`);
  expect(answer.status).toBe(200);
  const kinds = Map.groupBy(
    (await answer.text()).split("\n"),
    (line) => /^{"kind":"(\w+)/.exec(line)?.[1],
  );
  const countOf = (kind: string): number => kinds.get(kind)?.length ?? 0;
  return {
    ...{ events: countOf("event"), links: countOf("identity"), profiles: countOf("profile") },
    ...{ days: countOf("day"), automated: countOf("bot_day"), contexts: countOf("context") },
  };
}
/** Either all of the import is there, and it is done, or nothing is. */
async function expectWhole(id: string): Promise<void> {
  for (;;) {
    const { state } = await shown(id);
    const found = await seen();
    // It goes on meanwhile: one that became done says nothing of what was there before.
    if ((await shown(id)).state !== state) continue;
    expect([state, found]).toEqual([state, state === "done" ? everything : nothing]);
    return;
  }
}

test("kill -9 in each state of an import: it goes on, and is there as a whole or not at all", async () => {
  const file = exportedFile();
  const sha256 = createHash("sha256").update(file).digest("hex");
  const made = await send("POST", "/imports", { project: project.id, size: file.length, sha256 });
  const { id }: ShownImport = JSON.parse(await made.text());

  // Uploading: what was acknowledged is there, and the rest follows.
  const half = file.length >> 1;
  expect((await send("PUT", `/imports/${id}/data?offset=0`, file.slice(0, half))).status).toBe(200);
  const cut = send("PUT", `/imports/${id}/data?offset=${half}`, file.slice(half)).catch(() => null);
  await Bun.sleep(random.below(5));
  await killAndStart();
  await cut;
  const { received } = await shown(id);
  expect([half, file.length]).toContain(received);
  if (received === half) await send("PUT", `/imports/${id}/data?offset=${half}`, file.slice(half));

  // Checking: it goes on by itself.
  expect((await send("POST", `/imports/${id}/check`, {})).status).toBe(202);
  await Bun.sleep(random.below(200));
  await killAndStart();
  const checked = await eventually(async () => {
    const found = await shown(id);
    expect(found.state).toBe("checked");
    return found;
  });
  const rows = 1 + 2 * userCount + 2 * dayCount + eventCount;
  expect(checked.report?.rows).toMatchObject({ stored: rows, refused: 0 });

  // Checked: nothing was stored, and the report is the same.
  await killAndStart();
  expect(await shown(id)).toEqual(checked);
  expect(await seen()).toEqual(nothing);

  // Committing, several times: the kills fall into its steps.
  expect((await send("POST", `/imports/${id}/commit`, {})).status).toBe(202);
  for (let round = 0; round < 4; round++) {
    await Bun.sleep(random.below(150));
    await killAndStart();
    await expectWhole(id);
  }
  await eventually(async () => expect((await shown(id)).state).toBe("done"));
  expect(await seen()).toEqual(everything);

  // Done: all of it stays.
  await killAndStart();
  expect(await seen()).toEqual(everything);

  // Removing: what had begun is over after the start.
  const removing = send("DELETE", `/imports/${id}`).catch(() => null);
  await Bun.sleep(random.below(20));
  await killAndStart();
  await removing;
  const left = await send("GET", `/imports/${id}`);
  expect(await seen()).toEqual(left.status === 404 ? nothing : everything);
  if (left.status !== 404) expect((await send("DELETE", `/imports/${id}`)).status).toBe(200);
  expect(await seen()).toEqual(nothing);
}, 180_000);
