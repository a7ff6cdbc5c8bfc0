import { afterAll, expect, test } from "bun:test";
import { eventAt, SegmentStore, startMs } from "../../../../test/support/engine/segment-store";
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

/** Stores the sessions as one segment of columns, together with other sessions of one event each. */
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

test.each([
  ["a few", 0],
  ["more than 31", maskedValuesMax],
])("a visit of exposures alone is none with interaction, of %s names", (_, others) => {
  const store = storeSessions(others);
  expect(interactiveIn(store)).toEqual(sessions.map(([, isInteractive]) => isInteractive));
});
