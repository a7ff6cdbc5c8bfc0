import { describe, expect, test } from "bun:test";
import type { Filter } from "../state/filters";
import { draftsOf, filterOfDrafts, newDraft, opsOf, withField, withOp } from "./filter-draft";

describe("a draft of what happened", () => {
  const items: readonly Filter[] = [
    { did: "buy", since: "90d" },
    { did_not: "buy" },
    { session_did: "buy", filters: [{ field: "country", op: "eq", value: "DE" }] },
    { session_did_not: "buy" },
    { session_did: { goal: "goal_1" } },
    { session_did_not: { goal: "Order" }, filters: [{ field: "country", op: "eq", value: "DE" }] },
  ];
  test.each(items)("%j becomes the same filter again", (item) => {
    expect(filterOfDrafts(draftsOf(item))).toEqual(item);
  });
  test("loses its first date when it is about the session", () => {
    const drafts = draftsOf({ did: "buy", since: "90d" });
    const changed = drafts.map((draft) => withOp(draft, "session_did"));
    expect(filterOfDrafts(changed)).toEqual({ session_did: "buy" });
  });
  test("is no filter without an event", () => {
    expect(filterOfDrafts(draftsOf({ session_did: "" }))).toBeNull();
  });
  test("of a goal is about the session alone, and another field has operators of its own", () => {
    const goal = withField(newDraft, "goal");
    expect(opsOf("goal")?.map(([op]) => op)).toEqual(["session_did", "session_did_not"]);
    expect(filterOfDrafts([{ ...goal, text: "goal_1" }])).toEqual({
      session_did: { goal: "goal_1" },
    });
    expect(withField(goal, "did").op).toBe("did");
    expect(withField(goal, "country").op).toBe("eq");
    expect(withField({ ...newDraft, op: "prefix" }, "country").op).toBe("prefix");
  });
});
