import { describe, expect, test } from "bun:test";
import type { Filter } from "../state/filters";
import { draftsOf, filterOfDrafts, withOp } from "./filter-draft";

describe("a draft of what happened", () => {
  const items: readonly Filter[] = [
    { did: "buy", since: "90d" },
    { did_not: "buy" },
    { session_did: "buy", filters: [{ field: "country", op: "eq", value: "DE" }] },
    { session_did_not: "buy" },
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
});
