import { expect, test } from "bun:test";
import type { Did, FilterItem } from "../../../domain/filter-items";
import { eventsOf, plainGoal } from "../../../domain/goal";
import { usualTuning } from "../tuning";
import { partedEventsMin } from "./part-filters";

const ofEvent: FilterItem = { field: "country", op: "eq", value: "DE" };
const ofSession: FilterItem = { field: "session.source", op: "eq", value: "Google" };
const ofUser: Did = { did: "buy", isNegated: false, filters: [], window: null };
const view = (...filters: FilterItem[]) => ({ projectId: "p", fromMs: 0, toMs: 1, filters });
const tuning = { ...usualTuning, partedEventsMin: 1, partedSessionsEventsMin: 2 };
const never = Number.POSITIVE_INFINITY;

test("one helper counts sessions of more events than events, two of as many, none by what users did", () => {
  const eventsMin = (helpers: number) => [
    partedEventsMin(tuning, helpers, view(ofEvent)),
    partedEventsMin(tuning, helpers, view(), [{ any: [ofEvent, ofSession] }]),
    partedEventsMin(tuning, helpers, view(ofSession)),
    partedEventsMin(tuning, helpers, view(), [], true),
    partedEventsMin(tuning, helpers, view(ofUser)),
    partedEventsMin(tuning, helpers, view(), [{ any: [ofEvent, ofUser] }], true),
  ];
  expect(eventsMin(1)).toEqual([1, 2, 2, 2, never, never]);
  expect(eventsMin(2)).toEqual([1, 1, 1, 1, never, never]);
});

test("a goal in a condition on sessions is one of the whole store where it counts each value once", () => {
  const eventsMin = (oncePer?: string) => {
    const goal = { ...plainGoal("buy"), ...(oncePer !== undefined && { oncePer }) };
    const named = { id: "goal_1", name: "Order", events: eventsOf(goal) };
    const item: FilterItem = { ...ofUser, of: "session", goal: named };
    return partedEventsMin(tuning, 2, view(), [{ any: [ofEvent, item] }]);
  };
  expect([eventsMin(), eventsMin("order_id")]).toEqual([1, never]);
});
