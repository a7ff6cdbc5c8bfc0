import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventAt, SegmentStore, startMs } from "../../../../test/support/engine/segment-store";
import { migrate } from "../../migrate";
import { firstWithPassiveExposures, openForWriting, schema } from "../tables";
import { packIntegers } from "./codec";
import { maskedValuesMax } from "./stored-counts";

/** The events of each session, and whether it has interaction. */
const sessions: readonly (readonly [events: readonly string[], isInteractive: 0 | 1])[] = [
  [["$experiment_exposure"], 0],
  [["page_view", "$experiment_exposure", "page_view"], 0],
  [["$experiment_exposure", "signup"], 1],
  [["page_view", "$web_vitals"], 0],
  [["signup"], 1],
];
const stores: SegmentStore[] = [];
afterAll(() => {
  for (const store of stores) store.close();
});

/** Stores the sessions, beside others with an event of their own each, as one segment of columns. */
function storeSessions(others: number): SegmentStore {
  const store = new SegmentStore();
  stores.push(store);
  store.tune({ columnEventsMin: 1, waitingRowsMax: 2 });
  const named = [
    ...sessions.map(([names]) => names),
    ...Array.from({ length: others }, (_, number) => [`other ${number}`]),
  ];
  store.store(
    ...named.flatMap((names, session) =>
      names.map((name, place) =>
        eventAt(startMs + session * 100 + place, { name, sessionId: `session ${session}` }),
      ),
    ),
  );
  store.compact();
  return store;
}

function interactiveIn(store: SegmentStore): (number | undefined)[] {
  const [segment] = store.open();
  const { sessionIds } = segment;
  const interactive = segment.integers("visit.interactive");
  return sessions.map((_, session) => interactive[sessionIds.indexOf(`session ${session}`)]);
}

/** Makes of the one segment what a version wrote that took exposures for interaction. */
function asOfBefore(store: SegmentStore): void {
  const { db } = store;
  const [segment] = store.open();
  const everyVisit = packIntegers(new Uint8Array(segment.visitCount).fill(1));
  const write = "update segment_column set codes = ? where name = 'visit.interactive'";
  db.query(write).run(everyVisit);
  const note = "update setting set value = ? where name = 'passive_exposures_from_segment'";
  db.query(note).run(String(segment.id + 1));
}

test.each([
  ["a few", 0],
  ["more than 31", maskedValuesMax],
])("a visit of exposures alone is none with interaction, of %s names", (_, others) => {
  const store = storeSessions(others);
  const expected = sessions.map(([, isInteractive]) => isInteractive);
  expect(interactiveIn(store)).toEqual(expected);
  asOfBefore(store);
  expect(interactiveIn(store)).toEqual(expected);
});

test("what a segment without exposures says stays as it is stored", () => {
  const store = new SegmentStore();
  stores.push(store);
  store.tune({ columnEventsMin: 1, waitingRowsMax: 2 });
  store.store(...[1, 2, 3].map((place) => eventAt(startMs + place, { sessionId: `${place}` })));
  store.compact();
  asOfBefore(store);
  expect([...store.open()[0].integers("visit.interactive")]).toEqual([1, 1, 1]);
});

test("the migration notes the first segment that is built by the names of today", () => {
  const folder = mkdtempSync(join(tmpdir(), "sightline-interaction-"));
  const file = join(folder, "events.db");
  const before = new Database(file, { create: true, strict: true });
  const index = schema.migrations.findIndex(({ tag }) => tag === "0009_passive_exposures");
  migrate(before, file, { ...schema, migrations: schema.migrations.slice(0, index) });
  const insert = `
    insert into segment (project_id, first_time, last_time, event_count, byte_count, encoding)
    values (1, 1, 1, 1, 1, 'rows')`;
  before.run(insert);
  before.run(insert);
  before.close();
  const db = openForWriting(file, "normal");
  expect(firstWithPassiveExposures(db)).toBe(3);
  db.close();
  rmSync(folder, { recursive: true });
});
