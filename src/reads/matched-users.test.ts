import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Engine } from "../../test/support/engine/engine";
import { noonMs } from "../../test/support/engine/examples";
import { processorMs } from "../../test/support/suite/processor-time";
import { allTime } from "../domain/period";
import type { Person } from "../domain/person";
import type { EmailEntry, IdentityEntry, Read } from "../store/port";
import { identitySetIdsMax, matchedUsers } from "./matched-users";

const shop = { projectId: "proj_shop", project: "shop", membership: "mem_shop" };
const blog = { projectId: "proj_blog", project: "blog", membership: "mem_blog" };

/** Any read can ask who is meant. */
const whoRead: Read<Person, readonly string[]> = {
  name: "who",
  scope: () => ({ projectIds: [shop.projectId], ...allTime }),
  run: (snapshot, person) => matchedUsers(snapshot, shop.projectId, person),
};

let engine: Engine;
beforeEach(() => {
  engine = new Engine();
});
afterEach(() => engine.close());

const who = (asked: Partial<Person>): Promise<readonly string[]> =>
  engine.read(whoRead, { userId: null, emailDigests: [], members: [shop, blog], ...asked });
const edge = (previousId: string, userId: string, of = shop): IdentityEntry => ({
  kind: "identity",
  projectId: of.projectId,
  receivedAtMs: noonMs,
  previousId,
  userId,
  traits: null,
  membership: of.membership,
});
const told = (userId: string, of: typeof shop, ...emails: EmailEntry[]): IdentityEntry => ({
  ...edge(userId, userId, of),
  emails,
});
const digestOf = (number: number): string => number.toString(16).padStart(64, "0");
/** One address, as the project's own scope and the portfolio's know it. */
const own = (digest: number): EmailEntry => ({ membership: null, digest: digestOf(digest) });
const shared = (digest: number, of: typeof shop): EmailEntry => ({
  membership: of.membership,
  digest: digestOf(digest),
});

describe("ids that hang together", () => {
  test("are followed however long the way is, and however they are written", async () => {
    engine.append([
      edge("a", "nul\0"),
      edge("nul\0", "nul\0b", blog),
      edge("z", "nul\0b"),
      edge("nul", "other"),
    ]);
    const set = ["a", "nul\0", "nul\0b", "z"];
    for (const userId of set) expect(await who({ userId })).toEqual(set);
    expect(await who({ userId: "nul" })).toEqual(["nul", "other"]);
  });

  test("are the members' alone, while they are members", async () => {
    engine.append([edge("a", "b"), edge("b", "c", blog)]);
    expect(await who({ userId: "a" })).toEqual(["a", "b", "c"]);
    expect(await who({ userId: "a", members: [shop] })).toEqual(["a", "b"]);
    // The project has linked it all the same.
    const later = [{ ...shop, membership: "mem_later" }, blog];
    expect(await who({ userId: "a", members: later })).toEqual(["b", "c"]);
    expect(await who({ userId: "a", members: [] })).toEqual(["b"]);
  });

  test(`are ${identitySetIdsMax} at most, the nearest`, async () => {
    const many = Array.from({ length: identitySetIdsMax + 5 }, (_, index) =>
      edge("far", `leaf ${index}`, blog),
    );
    engine.append([edge("near", "far", blog), edge("near", "next", blog), ...many]);
    const found = await who({ userId: "near" });
    expect(found).toHaveLength(identitySetIdsMax);
    expect(found).toEqual(expect.arrayContaining(["near", "far", "next"]));
  });
});

describe("an address", () => {
  test("is looked for in the project's scope and the portfolio's, not in another project's", async () => {
    engine.append([told("ann", shop, own(1)), told("reader", blog, own(2), shared(3, blog))]);
    expect(await who({ emailDigests: [digestOf(1), digestOf(3)] })).toEqual(["ann", "reader"]);
    expect(await who({ emailDigests: [digestOf(2)] })).toEqual([]);
    expect(await who({ emailDigests: [digestOf(3)], members: [] })).toEqual([]);
    expect(await who({ emailDigests: [digestOf(3)], members: [shop] })).toEqual([]);
  });

  test("ties ids within one scope: a member's own, or the portfolio's", async () => {
    engine.append([
      told("ann", shop, own(1), shared(2, shop)),
      told("phone", shop, own(1)),
      told("reader", blog, own(3), shared(2, blog)),
      told("tablet", blog, own(3)),
    ]);
    const set = ["ann", "phone", "reader", "tablet"];
    for (const userId of set) expect(await who({ userId })).toEqual(set);
    expect(await who({ userId: "ann", members: [shop] })).toEqual(["ann", "phone"]);
    expect(await who({ userId: "ann", members: [] })).toEqual(["ann"]);
  });
});

test("an address that came with thousands of ids is followed once", async () => {
  const ids = Array.from({ length: 5_000 }, (_, index) => `guest ${index}`);
  engine.append(ids.map((id) => told(id, shop, shared(1, shop))));
  const startedMs = processorMs();
  expect(await who({ userId: "guest 7" })).toHaveLength(ids.length);
  // Followed from each of them again, it would be 25 million rows and over ten seconds.
  expect(processorMs() - startedMs).toBeLessThan(4_000);
});

test("a project that has stored nothing knows nobody", async () => {
  expect(await who({ userId: "ann", emailDigests: [digestOf(1)] })).toEqual(["ann"]);
  expect(await who({ emailDigests: [digestOf(1)], members: [] })).toEqual([]);
});
