import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { project, SegmentStore } from "../../../../test/support/engine/segment-store";
import { emailsPerUserMax } from "../../../domain/limits";
import type { EmailEntry, IdentityEntry } from "../../port";
import { packGroup } from "../../shared/append/wire";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
});
afterEach(() => store.close());

type Told = Pick<IdentityEntry, "membership" | "emails">;
const identity = (previousId: string, userId: string, told: Told): IdentityEntry => ({
  kind: "identity",
  projectId: project,
  receivedAtMs: store.nowMs,
  previousId,
  userId,
  traits: null,
  ...told,
});
const identify = (previousId: string, userId: string, told: Told = {}) =>
  store.writer.commit(packGroup([[identity(previousId, userId, told)]]));
const edges = () =>
  store.db.query("select membership, user, other from identity_edge").values().flat();
const digests = () =>
  store.db
    .query(
      "select lower(hex(digest)), membership, user from email_digest order by membership, user",
    )
    .values();
const digestOf = (number: number) => number.toString(16).padStart(64, "0");
const email = (number: number, membership: string | null = null): EmailEntry => ({
  membership,
  digest: digestOf(number),
});

describe("an edge", () => {
  test("is kept under the membership, in both directions, once", () => {
    for (let i = 0; i < 2; i++) identify("anon", "ann", { membership: "mem_a" });
    identify("ann", "anon", { membership: "mem_a" });
    expect(edges()).toEqual(["mem_a", "ann", "anon", "mem_a", "anon", "ann"]);
  });
  test("is none without a portfolio, or from an id to itself", () => {
    identify("anon", "ann");
    identify("ann", "ann", { membership: "mem_a", emails: [email(1)] });
    expect(edges()).toEqual([]);
  });
  test("is kept also when the link changes nothing in the project", () => {
    identify("anon", "ann");
    identify("anon", "ann", { membership: "mem_a" });
    expect(edges()).toHaveLength(6);
  });
  test("takes any id", () => {
    identify("a\u0000b", "\u0000", { membership: "mem_a" });
    expect(edges()).toEqual(["mem_a", "\0", "a\0b", "mem_a", "a\0b", "\0"]);
  });
});

describe("a digest", () => {
  test("is kept for each scope with the user id as it was sent", () => {
    identify("ann", "account 1");
    identify("anon", "ann", { membership: "mem_a", emails: [email(1), email(2, "mem_a")] });
    expect(digests()).toEqual([
      [digestOf(1), "", "ann"],
      [digestOf(2), "mem_a", "ann"],
    ]);
  });
  test("is kept once", () => {
    for (let i = 0; i < 3; i++) identify("ann", "ann", { emails: [email(1)] });
    expect(digests()).toHaveLength(1);
  });
  test(`of one user: ${emailsPerUserMax} are kept, later ones are not`, () => {
    const told = Array.from({ length: emailsPerUserMax + 1 }, (_, number) => email(number));
    identify("ann", "ann", { emails: told });
    identify("ann", "ann", { emails: [email(7, "mem_a")] });
    identify("bob", "bob", { emails: told.slice(-1) });
    const perUser = "select user, membership, count(*) from email_digest group by 1, 2";
    expect(store.db.query(perUser).values()).toEqual([
      ["ann", "", emailsPerUserMax],
      ["ann", "mem_a", 1],
      ["bob", "", 1],
    ]);
    const last = digestOf(emailsPerUserMax);
    expect(digests().filter(([digest]) => digest === last)).toEqual([[last, "", "bob"]]);
  });
});

test("what was kept under a membership that ended is removed, bit by bit, and nothing else", () => {
  const many = Array.from({ length: 1_200 }, (_, i) =>
    identity(`anon ${i}`, "ann", { membership: "mem_a", emails: [] }),
  );
  store.writer.commit(packGroup([many]));
  identify("anon", "ann", { membership: "mem_a", emails: [email(1), email(2, "mem_a")] });
  identify("anon", "ann", { membership: "mem_b", emails: [email(3, "mem_b")] });
  store.writer.endMembership(project, "mem_a");
  store.writer.endMembership(project, "mem_a");
  store.writer.endMembership("never seen", "mem_b");
  expect(edges().length).toBe(3 * 2 * 1_202);
  let sweeps = 0;
  while (store.writer.sweep()) expect(sweeps++).toBeLessThan(100);
  expect(sweeps).toBeGreaterThan(4);
  expect(edges()).toEqual(["mem_b", "ann", "anon", "mem_b", "anon", "ann"]);
  expect(digests().map(([digest]) => digest)).toEqual([digestOf(1), digestOf(3)]);
  expect(store.db.query("select * from ended_membership").values()).toEqual([]);
  // A crash may have the end told again.
  store.writer.endMembership(project, "mem_a");
  while (store.writer.sweep()) expect(sweeps++).toBeLessThan(100);
  expect(store.db.query("select * from ended_membership").values()).toEqual([]);
});

test("a commit that fails keeps none of it", () => {
  store.db.run(
    "create trigger refuse before insert on email_digest begin select raise(abort, 'full'); end",
  );
  const told = { membership: "mem_a", emails: [email(1)] };
  expect(() => identify("anon", "ann", told)).toThrow("full");
  expect(edges()).toEqual([]);
  expect(store.db.query("select count(*) from user_alias").values()).toEqual([[0]]);
});
