import { expect, test } from "bun:test";
import type { FilterItem } from "../../../domain/filter-items";
import { isCutBy } from "./part-filters";

const ofEvent: FilterItem = { field: "country", op: "eq", value: "DE" };
const ofSession: FilterItem = { field: "session.source", op: "eq", value: "Google" };
const ofUser: FilterItem = { did: "buy", isNegated: false, filters: [], window: null };
const view = (...filters: FilterItem[]) => ({ projectId: "p", fromMs: 0, toMs: 1, filters });

test("one helper counts by what events have, two by what their sessions have too, none by what users did", () => {
  const cutBy = (helpers: number) => [
    isCutBy(helpers, view(ofEvent)),
    isCutBy(helpers, view(), [{ any: [ofEvent, ofSession] }]),
    isCutBy(helpers, view(ofSession)),
    isCutBy(helpers, view(), [], true),
    isCutBy(helpers, view(ofUser)),
    isCutBy(helpers, view(), [{ any: [ofEvent, ofUser] }], true),
  ];
  expect(cutBy(1)).toEqual([true, false, false, false, false, false]);
  expect(cutBy(2)).toEqual([true, true, true, true, false, false]);
});
