import { expect, test } from "bun:test";
import fc from "fast-check";
import { processorMs } from "../../../../test/support/suite/processor-time";
import { ulid } from "../ticket";
import type { LinkedLine } from "./committed";
import { storedEvents } from "./stored-events";
import { packRequest } from "./wire";

/** A request whose events are of these users. */
const request = (userIds: readonly string[]) => {
  const common = { name: "e", timeMs: 1, sessionId: null, country: null, properties: null };
  const events = userIds.map((userId) => ({ ...common, userId, eventId: userId }));
  const entry = { kind: "events", projectId: "proj_a", receivedAtMs: 1, events } as const;
  const packed = packRequest([entry]);
  return { ...packed, bytes: packed.lines.length };
};

const [project, firstTicket] = [7, 100];
const committed = (repeats: readonly number[], linked: readonly LinkedLine[]) => ({
  stored: new Uint32Array(),
  places: new Float64Array([project, firstTicket]),
  repeats: repeats.length === 0 ? null : Uint32Array.from(repeats),
  linked: linked.length === 0 ? null : linked,
});

test("requests are told their new events, with the users that these stand for", () => {
  const line = fc.constantFrom("new", "repeated", "linked");
  const requests = fc.array(fc.array(line, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
  fc.assert(
    fc.property(requests, (kinds) => {
      const lines = kinds.flat();
      const places = (kind: string) => [...lines.keys()].filter((at) => lines[at] === kind);
      let at = 0;
      const group = kinds.map((own) => request(own.map(() => `u${at++}`)));
      const linked = places("linked").map((place): LinkedLine => [place, `to${place}`]);
      const told = storedEvents(group, committed(places("repeated"), linked));
      const events = lines.flatMap((kind, place) =>
        kind === "repeated" ? [] : [`"${kind === "linked" ? "to" : "u"}${place}"`],
      );
      expect(told.flatMap((one) => one.read().map(({ userId }) => userId))).toEqual(events);
      expect(told.flatMap((one) => one.read().map(({ id }) => id))).toEqual(
        events.map((_, index) => ulid(project, firstTicket + index)),
      );
    }),
  );
});

test("a group of repeats and linked ids costs the main thread hardly more than another", () => {
  const places = Array.from({ length: 6_000 }, (_, at) => at);
  const group = places.map((at) => request([`u${at}`]));
  const startedMs = processorMs();
  expect(storedEvents(group, committed(places, []))).toEqual([]);
  const linked = places.map((at): LinkedLine => [at, "one"]);
  expect(storedEvents(group, committed([], linked))).toHaveLength(group.length);
  // Looking through all of them for each request takes 3,600 ms.
  expect(processorMs() - startedMs).toBeLessThan(1_000);
});
