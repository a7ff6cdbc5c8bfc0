import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { dayOf } from "../../src/domain/event";
import { timeZoneOf } from "../../src/domain/time-zone";
import { RetentionRun } from "../../src/services/retention";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { askedReads, ReadWorld } from "../support/app/every-read";
import { dayRow, importDays } from "../support/app/imported-days";
import { committed } from "../support/app/imports";
import { cases } from "../support/random/cases";
import { type Random, randomFrom, randomSeed } from "../support/random/random";
import { randomProperties } from "../support/random/random-properties";
import { eventually } from "../support/suite/eventually";

/*
 * An export of everything of a random project, imported into an empty one of another server, is the same project: each
 * read of what is stored answers the same, and so does its export.
 */

const dayMs = 24 * 60 * 60_000;
const daysOfEvents = 24;
const name = "shop";
const users = ["u1", "u2", "u3", "anon-1", "anon-2", "ü😀", "constructor"];
const events = [
  "page_view",
  "page_view",
  "signup",
  "purchase",
  "click",
  "$scroll_depth",
  "😀 event",
];
const crawlers = ["Googlebot/2.1", "GPTBot/1.2", "SomebodysBot/3"];

function randomEvent(random: Random, timestamp: number): Json {
  const { chance, pick, below } = random;
  const properties = randomProperties(random, ["plan", "n", "deep", "10", "2", "__proto__", "a b"]);
  return {
    ...{ event: pick(events), timestamp },
    ...(chance(0.8) && { user_id: pick(users) }),
    ...(chance(0.8) && { session_id: `s${below(40)} ${dayOf(timestamp)}` }),
    ...(chance(0.9) && { properties }),
    ...(chance(0.2) && { event_id: `id${below(100)}` }),
  };
}

/** Days that came before the first event: by two imports, some of them twice. */
function randomDays({ below, chance }: Random, app: TestApp, { id }: TestProject): void {
  const first = dayOf(noonMs) - 300;
  for (const from of ["imp_one", "imp_two"]) {
    const days = Array.from({ length: below(6) }, () => first + below(10));
    const rows = [...new Set(days)].flatMap((day) => [
      dayRow(day, below(50)),
      dayRow(day, below(50), { dimension: "page", value: "/a" }),
      ...(chance(0.5) ? [dayRow(day, below(50), { dimension: "page", value: "/ü" })] : []),
    ]);
    importDays(app, id, from, rows);
  }
}

/** Fills the project as clients and its owner do. */
async function fill(random: Random, app: TestApp, project: TestProject): Promise<void> {
  const { below, chance, pick } = random;
  const { id, token } = project;
  const timezone = pick(["UTC", "Asia/Tokyo", "America/Los_Angeles"]);
  await app.send("PATCH", `/projects/${id}`, { key: app.key, body: { timezone } });
  randomDays(random, app, project);
  const startMs = noonMs - daysOfEvents * dayMs;
  const times = Array.from({ length: cases(300, 1_500) }, () => startMs + below(noonMs - startMs));
  times.sort((a, b) => a - b);
  let automated = 0;
  while (times.length > 0) {
    const part = times.splice(0, 1 + below(80));
    const nowMs = part.at(-1) ?? noonMs;
    app.setTime(nowMs);
    // Some of the parts hold all of one millisecond.
    const isTied = chance(0.1);
    const made = part.map((timestamp) => randomEvent(random, isTied ? nowMs : timestamp));
    await app.send("POST", "/track/batch", { body: { token, events: made.toReversed() } });
    const [previous_id, user_id] = [pick(users), pick([...users, "acct"])];
    const traits = { plan: pick(["free", "pro", null]), 2: below(3), city: { deep: [below(3)] } };
    const told = { token, previous_id, user_id, ...(chance(0.6) && { traits }) };
    if (chance(0.5)) await app.send("POST", "/identify", { body: told });
    if (chance(0.1)) {
      const body = { project: id, previous_id: pick(users) };
      await app.send("POST", "/identities/unlink", { key: app.key, body });
    }
    if (chance(0.3)) {
      const headers = { "user-agent": `Mozilla/5.0 (compatible; ${pick(crawlers)})` };
      await app.send("POST", "/track", { headers, body: { token, event: "page_view" } });
      automated++;
    }
  }
  app.setTime(noonMs);
  // Automated requests are stored a moment after their answer.
  await eventually(async () => expect(await automatedRequests(app, project)).toBe(automated));
  if (chance(0.7))
    await app.send("PUT", "/project-context", { key: app.key, body: contextOf(random, id) });
  if (chance(0.4)) {
    const run = new RetentionRun(app.deps, () => false);
    // Retention ends with a whole date: reads of another project cannot tell that a part of one is missing.
    const zone = timeZoneOf(timezone);
    await run.forget(id, zone.startOf(zone.dayAt(startMs) + below(8)));
  }
}

async function automatedRequests(app: TestApp, { id }: TestProject): Promise<number> {
  const answer = await app.open(`/export?project=${id}&kind=bot_traffic`, { key: app.key });
  const lines = (await answer.text()).trimEnd().split("\n").slice(1, -1);
  return lines.reduce((sum, line) => sum + JSON.parse(line).requests, 0);
}

const contextOf = ({ below, chance }: Random, project: string): Json => ({
  ...{ project, goals: ["Grow"], activation_events: ["signup"] },
  glossary: [{ event_name: "signup", term: "Sign-up", definition: "An account was made." }],
  annotations: Array.from({ length: below(4) }, (_, at) => ({
    occurred_at: new Date(noonMs - below(20) * dayMs).toISOString(),
    title: `Change ${at}`,
    ...(chance(0.5) && { note: "A note" }),
  })),
});

/** Reads whose data no export has: experiments, and the last minutes. */
const others = [
  "GET /experiments",
  "GET /experiments/{id}",
  "GET /live",
  "GET /properties/received",
];
const stored = askedReads.filter(({ operation }) => !others.includes(operation.name));

/** Ids of events, projects, imports and annotations, and the places in lists that name them. */
function alike(value: unknown): unknown {
  if (typeof value === "string") {
    return value
      .replace(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, "an event")
      .replace(/^(?:proj|ann|acc)_[a-z0-9]+$/, "an id")
      .replace(/^(?:imp_[a-z0-9]+|retention)$/, "an import");
  }
  if (Array.isArray(value)) return value.map(alike);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !["updated_at", "next_cursor", "data_version"].includes(key))
      .map(([key, one]) => [key, alike(one)]),
  );
}

const uninspected = `
  select (select count(*) from current_segment where is_inspected = 0)
    + (select count(*) from profile where is_inspected = 0)
    + (select count(*) from project where inspected_users <
        (select coalesce(max(number), 0) from user where project_id = project.id)) as waiting`;
/** Texts of visitors are looked through after they are stored. */
async function lookedThrough({ dataDir }: TestApp): Promise<void> {
  const db = new Database(join(dataDir, "events.db"), { readonly: true });
  try {
    await eventually(() => expect(db.query(uninspected).get()).toEqual({ waiting: 0 }));
  } finally {
    db.close();
  }
}

interface Answers {
  readonly reads: Readonly<Record<string, unknown>>;
  readonly file: string;
}
async function answersOf(app: TestApp, { id }: TestProject): Promise<Answers> {
  const world = new ReadWorld(app, "");
  const reads: Record<string, unknown> = {};
  await lookedThrough(app);
  for (const asked of stored) reads[asked.label] = alike(await world.answer(asked));
  for (const user_id of users) {
    const question = { project: id, user_id, limit: 1_000 };
    reads[`journey of ${user_id}`] = alike(await app.post("/journey/lookup", question));
  }
  reads.sessions = alike(await app.get(`/sessions?project=${id}&since=60d&limit=500`));
  for (const dimension of ["total", "page", "source", "event"]) {
    reads[`history of ${dimension}`] = alike(
      await app.get(`/history?project=${id}&dimension=${dimension}`),
    );
  }
  reads.context = alike(await app.get(`/project-context?project=${id}`));
  const file = await (await app.open(`/export?project=${id}&kind=all`, { key: app.key })).text();
  return { reads, file };
}

/** The lines of an export without the first and the last one, and without what another project has in its own way. */
const linesOf = ({ file }: Answers): unknown[] =>
  file
    .trimEnd()
    .split("\n")
    .slice(1, -1)
    .map((line) => {
      const { emails: _, id: _id, project_id: _project, ...rest } = JSON.parse(line);
      return alike(rest);
    });

async function roundTrip(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const within = async (work: (app: TestApp, project: TestProject) => Promise<Answers>) => {
    const app = await testApp();
    try {
      return await work(app, await app.makeProject(name));
    } finally {
      await app.close();
    }
  };
  const before = await within(async (app, project) => {
    await fill(random, app, project);
    return answersOf(app, project);
  });
  const [first = ""] = before.file.split("\n");
  const { timezone }: { timezone: string } = JSON.parse(first);
  const after = await within(async (app, project) => {
    await app.send("PATCH", `/projects/${project.id}`, { key: app.key, body: { timezone } });
    await committed(app, project, before.file);
    return answersOf(app, project);
  });
  for (const [label, answer] of Object.entries(before.reads)) {
    expect({ label, answer: after.reads[label] }, `SEED=${seed}`).toEqual({ label, answer });
  }
  expect(linesOf(after), `SEED=${seed}`).toEqual(linesOf(before));
}

test("an export of everything, imported, is the same project and the same export", async () => {
  const first = cases(1, randomSeed());
  for (let seed = first; seed < first + cases(2, 25); seed++) await roundTrip(seed);
}, 600_000);
