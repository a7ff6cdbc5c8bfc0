import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OpenSessions } from "../../src/ingest/dialects/visitors/open-sessions";
import { RestoredSessions } from "../../src/ingest/dialects/visitors/restored-sessions";
import { runDueJobs } from "../../src/jobs";
import { dayMs, hourMs, minuteMs } from "../../src/lib/clock";
import { visitorDayKey } from "../../src/store/control/source-tables";
import type { TestApp } from "../support/app/app";
import { openApp, type SourceWorld, sourceOf } from "./world";

let app: TestApp;
let world: SourceWorld;
beforeEach(async () => {
  app = await openApp();
  world = await sourceOf(app, "plausible");
});
afterEach(() => app.close());

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const midnightMs = Date.parse("2026-11-28T00:00:00Z");

async function view(atMs: number, { from = "8.8.8.8", agent = firefox, host = "a.example" } = {}) {
  app.setTime(atMs);
  const body = { n: "pageview", u: `https://${host}/` };
  const headers = { "user-agent": agent, origin: `https://${host}` };
  expect((await world.send("POST", "/api/event", { body, headers, from })).status).toBe(202);
  return (await world.events()).at(-1);
}
const sessionOf = async (atMs: number) => (await view(atMs))?.session_id;
const visitorOf = async (atMs: number, what = {}) => (await view(atMs, what))?.user_id;

test("a visitor is known by address, agent and host within a day, and by nothing on the next", async () => {
  const first = await visitorOf(midnightMs + hourMs);
  expect(first).toMatch(/^v_[A-Za-z0-9_-]{22}$/);
  expect(await visitorOf(midnightMs + 5 * hourMs)).toBe(first);
  const others = [{ from: "8.8.4.4" }, { agent: `${firefox} more` }, { host: "b.example" }];
  for (const other of others)
    expect(await visitorOf(midnightMs + 6 * hourMs, other)).not.toBe(first);
  const elsewhere = await sourceOf(app, "plausible");
  const home = world;
  world = elsewhere;
  expect(await visitorOf(midnightMs + 7 * hourMs)).not.toBe(first);
  world = home;
  expect(await visitorOf(midnightMs + dayMs + 2 * hourMs)).not.toBe(first);
});

test("the key of a day is destroyed 48 hours after it was made, and is in no file then", async () => {
  await view(midnightMs + hourMs);
  const { control } = app.deps;
  const day = midnightMs / dayMs;
  const key = control.visitorKeys.ofDay(day);
  expect(key?.length).toBe(32);
  const [{ sealed = "" } = {}] = control.db
    .select({ sealed: visitorDayKey.sealedKey })
    .from(visitorDayKey)
    .all();
  const files = () =>
    ["control.db", "control.db-wal"].map((name) => readFileSync(join(app.dataDir, name), "latin1"));
  const isStored = () => files().some((bytes) => bytes.includes(sealed));
  expect(isStored()).toBe(true);

  app.setTime(midnightMs + 2 * dayMs - 1);
  await runDueJobs(app.deps, new Map());
  expect(control.visitorKeys.ofDay(day)).toEqual(key);
  app.setTime(midnightMs + 2 * dayMs);
  await runDueJobs(app.deps, new Map());
  expect(control.visitorKeys.ofDay(day)).toBeNull();
  expect(isStored()).toBe(false);
});

test("a session goes on for 30 minutes after its last event, and not a millisecond more", async () => {
  const first = await sessionOf(midnightMs + hourMs);
  expect(first).toMatch(/^s_[A-Za-z0-9_-]{22}$/);
  expect(await sessionOf(midnightMs + hourMs + 30 * minuteMs)).toBe(first);
  expect(await sessionOf(midnightMs + hourMs + 60 * minuteMs)).toBe(first);
  expect(await sessionOf(midnightMs + hourMs + 90 * minuteMs + 1)).not.toBe(first);
});

test("an open session goes on past midnight under the visitor with whom it began", async () => {
  const before = await view(midnightMs - 10 * minuteMs);
  const after = await view(midnightMs + 10 * minuteMs);
  expect([after?.user_id, after?.session_id]).toEqual([before?.user_id, before?.session_id]);
  const later = await view(midnightMs + hourMs);
  expect(later?.user_id).not.toBe(before?.user_id);
  expect(later?.session_id).not.toBe(before?.session_id);
});

test("after a restart the sessions of the last 30 minutes are open", async () => {
  const early = await view(midnightMs + hourMs, { host: "early.example" });
  const late = await view(midnightMs + hourMs + 20 * minuteMs, { host: "late.example" });
  const nowMs = midnightMs + hourMs + 40 * minuteMs;
  app.setTime(nowMs);
  const sessions = new OpenSessions();
  const restored = new RestoredSessions(app.deps.store, sessions);
  const recipient = app.deps.control.sourceById(world.source.id)?.project;
  if (recipient === undefined) throw new Error("the source is known");
  await restored.ready(recipient, nowMs);
  const { id } = world.project;
  expect(sessions.count).toBe(1);
  expect(sessions.join(id, late?.user_id ?? "", nowMs)).toBe(late?.session_id ?? "");
  expect(sessions.join(id, early?.user_id ?? "", nowMs)).not.toBe(early?.session_id ?? "");
  expect(restored.ready(recipient, nowMs + hourMs)).toBeNull();
});

test("open sessions are bounded: the least recent are forgotten", () => {
  const sessions = new OpenSessions(100);
  const first = sessions.join("p", "first", 0);
  for (let at = 0; at < 1_000; at++) {
    sessions.join("p", `u${at}`, at);
    sessions.tidy(at);
    expect(sessions.count).toBeLessThanOrEqual(200);
  }
  expect(sessions.join("p", "first", 0)).not.toBe(first);
  const [a, b] = [sessions.join("p", "a", 0), sessions.join("p", "b", 0)];
  sessions.handOver("p", "a", "b");
  expect(sessions.join("p", "b", 1)).toBe(a);
  expect(sessions.join("p", "a", 1)).toBe(a);
  expect(b).not.toBe(a);
  expect(sessions.join("p", "b", 1, true)).not.toBe(a);
});

test("an event that is refused begins and moves no session", async () => {
  const first = await sessionOf(midnightMs + hourMs);
  app.setTime(midnightMs + hourMs + 29 * minuteMs);
  const body = { n: "x".repeat(257), u: "https://a.example/" };
  const headers = { "user-agent": firefox, origin: "https://a.example" };
  expect((await world.send("POST", "/api/event", { body, headers })).status).toBe(400);
  expect(await sessionOf(midnightMs + hourMs + 31 * minuteMs)).not.toBe(first);
});
