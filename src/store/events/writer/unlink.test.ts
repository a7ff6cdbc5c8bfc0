import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eventAt, project, SegmentStore } from "../../../../test/support/engine/segment-store";
import { packGroup } from "../../shared/append/wire";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
});
afterEach(() => store.close());

const membership = "mem_a";
function identify(
  previousId: string,
  userId: string,
  traits: Record<string, string> | null = null,
) {
  const told = { projectId: project, receivedAtMs: store.nowMs, previousId, userId, traits };
  store.writer.commit(packGroup([[{ kind: "identity", ...told, membership }]]));
}
const unlink = (previousId: string): string | null =>
  store.writer.unlink(project, previousId, membership);
const edges = (): string[] =>
  (store.db.query("select user, other from identity_edge").values() as [string, string][])
    .map(([user, other]) => `${user}–${other}`)
    .filter((edge) => edge.split("–")[0] < edge.split("–")[1]);
const links = (): number =>
  (
    store.db.query("select count(*) as n from user_alias where canonical > 0").get() as {
      n: number;
    }
  ).n;

describe("what /identify told, taken back,", () => {
  test("is whose it was, once", () => {
    identify("anon", "ann");
    identify("ann", "account 1");
    expect(unlink("anon")).toBe("account 1");
    expect(unlink("anon")).toBeNull();
    expect(unlink("account 1")).toBeNull();
    expect(unlink("never seen")).toBeNull();
    expect(store.writer.unlink("no project", "anon", null)).toBeNull();
    expect(links()).toBe(1);
  });

  test("is told again as if it never had been", () => {
    identify("anon", "ann");
    unlink("anon");
    identify("anon", "bob");
    expect(unlink("anon")).toBe("bob");
    expect(links()).toBe(0);
  });

  test("is still so after a restart, and after a transaction that failed", () => {
    for (const id of ["a", "b", "c"]) identify(id, "end");
    unlink("a");
    store.restart();
    expect(unlink("a")).toBeNull();
    store.db.run(
      "create trigger refuse before update on project begin select raise(abort, 'full'); end",
    );
    expect(() => unlink("b")).toThrow("full");
    store.db.run("drop trigger refuse");
    expect(unlink("b")).toBe("end");
  });

  test("walks no chain twice, before and after", () => {
    const length = 400;
    for (let at = 0; at < length; at++) identify(`id ${at}`, `id ${at + 1}`);
    const shortened = () =>
      store.db.query("select count(*) as n from user_alias where shortcut > 0").get() as {
        readonly n: number;
      };
    store.store(eventAt(store.nowMs, { userId: "id 0" }));
    expect(shortened().n).toBe(length - 1);
    expect(unlink(`id ${length / 2}`)).toBe(`id ${length}`);
    // What came before it follows it, whatever shortcuts said.
    expect(unlink("id 0")).toBe(`id ${length / 2}`);
    expect(unlink(`id ${length - 1}`)).toBe(`id ${length}`);
  });
});

describe("an edge", () => {
  test("of the id leaves the graph, also one that was told the other way around", () => {
    identify("anon", "ann");
    identify("ann", "anon");
    unlink("anon");
    expect(edges()).toEqual([]);
  });
  test("to an id that follows it stays, as do those of others", () => {
    identify("old", "anon");
    identify("anon", "ann");
    identify("bob", "ann");
    unlink("anon");
    expect(edges().sort()).toEqual(["ann–bob", "anon–old"].sort());
  });
  test("of another membership is not its business", () => {
    identify("anon", "ann");
    expect(store.writer.unlink(project, "anon", "mem_b")).toBe("ann");
    expect(edges()).toEqual(["ann–anon"]);
  });
});

test("the traits of the id are again what they were when it was linked; the other keeps what it was given", () => {
  identify("anon", "anon", { city: "Bonn" });
  identify("anon", "ann", { plan: "team" });
  unlink("anon");
  const traits = store.db.query("select traits from profile ").values().flat();
  expect(traits.sort()).toEqual(['{"city":"Bonn","plan":"team"}', '{"city":"Bonn"}']);
});
