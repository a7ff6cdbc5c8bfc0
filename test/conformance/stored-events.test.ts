import { afterEach, expect, test } from "bun:test";
import { type AcceptedEvent, dayOf } from "../../src/domain/event";
import type { EventRow } from "../../src/domain/fields";
import { eventsRead } from "../../src/features/events/read";
import { clock } from "../../src/lib/clock";
import type { Entry, EventsEntry, StoredEvent, StoredEvents } from "../../src/store/port";
import { ask, type TestStore } from "../support/engine/event-store";
import { engineMsMax, openTellingStore } from "../support/engine/opened-engine";
import { cases } from "../support/random/cases";
import { type Random, randomFrom, randomSeed } from "../support/random/random";

/** What is announced of stored events must be what reads show of them: ids, users after links, properties and all. */

let opened: Awaited<ReturnType<typeof openTellingStore>> | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
});

const projects = ["proj_a", "proj_b", "proj_c"];
const users = ["ann", "anon-1", "ü😀", 'quo"te', "nul\0"];
const names = ["page_view", "a,\nb", '"]', "😀", "comma,", "[1,2]"];

function makeEvent({ below, chance, pick }: Random, nowMs: number): AcceptedEvent {
  const value = () => pick([1.5, 1e21, -0, true, "", 'a"b,\n', ["x", { y: null }], "～"]);
  return {
    name: pick(names),
    timeMs: nowMs - below(100_000),
    userId: chance(0.8) ? pick(users) : null,
    sessionId: chance(0.7) ? pick(["s1", "s,\n2", "ß"]) : null,
    country: pick(["DE", null]),
    properties: chance(0.2) ? null : chance(0.1) ? {} : { path: pick(["/", "/ü"]), v: value() },
    eventId: chance(0.6) ? `id${below(200)}` : null,
  };
}

const sent: AcceptedEvent[] = [];

function entryOf(random: Random, nowMs: number): EventsEntry {
  const count = random.pick([1, 1, 1, 2, 30]);
  const events = Array.from({ length: count }, () => {
    const event =
      sent.length > 0 && random.chance(0.2) ? random.pick(sent) : makeEvent(random, nowMs);
    sent.push(event);
    return event;
  });
  return { kind: "events", projectId: random.pick(projects), receivedAtMs: nowMs, events };
}

function requestOf(random: Random, nowMs: number): Entry[] {
  const count = random.pick([1, 1, 1, 3]);
  const entries: Entry[] = Array.from({ length: count }, () => entryOf(random, nowMs));
  if (random.chance(0.1)) entries.push(link("proj_a", "never", "seen"));
  return entries;
}

const link = (projectId: string, previousId: string, userId: string): Entry => ({
  ...{ kind: "identity", projectId, receivedAtMs: clock.nowMs(), previousId, userId },
  traits: null,
});

const rowOf = ({ id, timeMs, name, userId, sessionId, country, properties }: StoredEvent) => ({
  id,
  event: JSON.parse(name),
  properties: JSON.parse(properties),
  user_id: JSON.parse(userId),
  session_id: JSON.parse(sessionId),
  timestamp: timeMs,
  country: JSON.parse(country),
});

async function rowsOf(store: Pick<TestStore, "store">, projectId: string): Promise<object[]> {
  const today = dayOf(clock.nowMs());
  const answer = await ask(store, eventsRead, {
    projectId,
    days: { from: today - 1, to: today },
    ...{ conditions: [], limit: 1_000_000, before: null, question: {} },
  });
  const { events } = JSON.parse(answer.json) as { events: EventRow[] };
  return events
    .map(({ project_id: _project, date: _date, ...row }) => row)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

test(
  "stored events are announced once, in order, before the answer, as every read shows them",
  async () => {
    const random = randomFrom(randomSeed());
    const announced: StoredEvents[] = [];
    opened = await openTellingStore((stored) => void announced.push(stored));
    const { store } = opened;
    await store.append([link("proj_a", "anon-1", "ann"), link("proj_b", "ann", 'quo"te')]);
    await store.append([link("proj_b", 'quo"te', "nul\0")]);

    let answered = 0;
    for (let round = 0; round < cases(5, 20); round++) {
      const requests = Array.from({ length: 20 }, () => requestOf(random, clock.nowMs()));
      await Promise.all(
        requests.map(async (request) => {
          const { stored } = await store.append(request);
          answered += stored;
        }),
      );
      const soFar = announced.reduce((sum, { count }) => sum + count, 0);
      expect([random.seed, soFar]).toEqual([random.seed, answered]);
    }

    for (const projectId of projects) {
      const own = announced.filter((stored) => stored.projectId === projectId);
      for (const stored of own) {
        const events = stored.read();
        expect([events.length, events.at(-1)?.id]).toEqual([stored.count, stored.lastId]);
        expect(stored.bytes).toBeGreaterThan(JSON.stringify(events).length / 4);
      }
      const shown: object[] = own.flatMap((stored) => stored.read()).map(rowOf);
      // Sorted rows against announced ones as they came: ids ascend.
      expect([random.seed, shown]).toEqual([random.seed, await rowsOf(opened, projectId)]);
    }
  },
  engineMsMax,
);

test("what was there before, or could not be stored, is not announced", async () => {
  const announced: StoredEvents[] = [];
  opened = await openTellingStore((stored) => void announced.push(stored));
  const random = randomFrom(1);
  const nowMs = clock.nowMs();
  const [event] = [makeEvent(random, nowMs)];
  const entry: EventsEntry = {
    ...{ kind: "events", projectId: "proj_a", receivedAtMs: nowMs },
    events: [{ ...event, eventId: "once" }],
  };
  await opened.store.append([entry]);
  await opened.store.append([entry, entry]);
  expect(announced.map(({ count }) => count)).toEqual([1]);
  await opened.store.close();
  await expect(opened.store.append([entry])).rejects.toThrow();
  expect(announced.length).toBe(1);
});
