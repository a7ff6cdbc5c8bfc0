import { expect, test } from "bun:test";
import type { FilterItem } from "../../../domain/filter-items";
import { isCutBy } from "./part-filters";

const ofEvent: FilterItem = { field: "country", op: "eq", value: "DE" };
const ofSession: FilterItem = { field: "session.source", op: "eq", value: "Google" };
const ofUser: FilterItem = { did: "buy", isNegated: false, filters: [], window: null };
const view = (...filters: FilterItem[]) => ({ projectId: "p", fromMs: 0, toMs: 1, filters });

test("one helper counts events by what they have and some sessions, two by sessions, none by what users did", () => {
  const cutBy = (helpers: number) => [
    isCutBy(helpers, view(ofEvent)),
    isCutBy(helpers, view(), [{ any: [ofEvent, ofSession] }]),
    isCutBy(helpers, view(ofSession)),
    isCutBy(helpers, view(), [], "all"),
    isCutBy(helpers, view(ofSession), [], "some"),
    isCutBy(helpers, view(ofUser)),
    isCutBy(helpers, view(), [{ any: [ofEvent, ofUser] }], "some"),
  ];
  expect(cutBy(1)).toEqual([true, false, false, false, true, false, false]);
  expect(cutBy(2)).toEqual([true, true, true, true, true, false, false]);
});
