import { expect, test } from "bun:test";
import { allTime } from "../../src/domain/period";
import { ClickHouse } from "../../src/store/clickhouse/client";
import type { Entry, EventStore, Read } from "../../src/store/port";
import type { Snapshot } from "../../src/store/questions";
import { event } from "../support/engine/examples";
import { cases } from "../support/random/cases";
import { randomFrom, randomSeed } from "../support/random/random";
import { behindNetwork } from "./behind-network";
import { historyMsMax } from "./driven";
import { placeAt } from "./place";
import { codeOf } from "./stored-numbers";

const on = behindNetwork("erasures");
const nowMs = Date.now();
const users = ["phone", "laptop", "ann", "owner", "tablet", "bob"];

/** Ann has a phone and a laptop. The phone was the owner's before, to whom its events of then and a tablet belong. */
function history(projectId: string): Entry[] {
  const visits = (userId: string, count: number): Entry => ({
    ...{ kind: "events", projectId, receivedAtMs: nowMs },
    events: Array.from({ length: count }, () => event({ userId, timeMs: nowMs - 60_000 })),
  });
  const identify = (previousId: string, userId: string): Entry => ({
    ...{ kind: "identity", projectId, receivedAtMs: nowMs, previousId, userId },
    ...{ traits: { of: userId }, membership: "mem" },
    emails: [{ membership: null, digest: Buffer.from(userId).toString("hex").padEnd(64, "0") }],
  });
  return [
    ...[visits("tablet", 2), visits("phone", 3)],
    ...[identify("tablet", "phone"), identify("phone", "owner"), identify("phone", "ann")],
    ...[identify("laptop", "ann"), visits("phone", 4), visits("laptop", 5), visits("bob", 6)],
  ];
}

/** Everything that reads tell of the users of a project. */
const toldRead: Read<{ readonly projectId: string }, object> = {
  name: "told of a project",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  run: async (snapshot: Snapshot, { projectId }) => {
    const view = { projectId, ...allTime };
    const scopes = [null, "mem"].map((membership) => ({ projectId, membership }));
    const ofUsers: object[] = [];
    for (const user of users) {
      ofUsers.push({
        user,
        events: await snapshot.eventCount(view, [{ field: "user_id", op: "in", value: [user] }]),
        mapped: await snapshot.mappedUsers(projectId, [user]),
        known: (await snapshot.people(projectId, [user])).map(({ traits }) => traits),
        with: (await snapshot.usersNamedWith(scopes, user, 100)).sort(),
        digests: (await snapshot.digestsOf(scopes, user, 100)).length,
      });
    }
    return { totals: await snapshot.totals(view), ofUsers };
  },
};
async function told(store: EventStore, projectId: string): Promise<unknown> {
  const { json } = await store.read(
    toldRead,
    { projectId },
    {
      accountId: "account",
      signal: new AbortController().signal,
      arrivedAtMs: Date.now() + 600_000,
    },
  );
  return JSON.parse(json);
}

const erase = (store: EventStore, projectId: string): Promise<void> =>
  store.erasures?.erase(projectId, ["ann", "laptop", "phone"]) ?? Promise.reject();

/** A run tries a few of the statements, a thorough one all. */
function someOf(places: number[]): number[] {
  const random = randomFrom(randomSeed());
  process.stdout.write(
    `places of ${places.length} where an erasure breaks off: SEED=${random.seed}\n`,
  );
  while (places.length > cases(3, 1_000)) places.splice(random.below(places.length), 1);
  return places;
}

test(
  "an erasure that breaks off at any statement is made whole by another start",
  async () => {
    await on.store.append(history("proj_whole"));
    const before = await told(on.store, "proj_whole");
    let statements = 0;
    on.network.fate = () => {
      statements++;
      return "pass";
    };
    await erase(on.store, "proj_whole");
    const wanted = await told(on.store, "proj_whole");
    expect(wanted).not.toEqual(before);
    expect(wanted).toMatchObject({ totals: { unique_users: 2, total_events: 11 } });
    const places = someOf(Array.from({ length: statements }, (_, at) => at));
    await on.store.append(places.flatMap((at) => history(`proj_${at}`)));
    await on.store.close();

    for (const at of places) {
      const projectId = `proj_${at}`;
      const store = await on.open();
      let sent = 0;
      const fate = at % 2 === 0 ? "cut before" : "cut after";
      on.network.fate = () => (sent++ >= at ? fate : "pass");
      await erase(store, projectId).catch(() => undefined);
      on.network.fate = () => "pass";
      await store.close();
      const next = await on.open();
      await erase(next, projectId);
      expect([at, await told(next, projectId)]).toEqual([at, wanted]);
      await next.close();
    }
  },
  historyMsMax,
);

test("after an erasure no list has an id, also where one before it failed", async () => {
  await on.store.append(history("proj_lists"));
  const listed = async (): Promise<number> => {
    const clickhouse = new ClickHouse(placeAt(on.clickhouse.url, on.database));
    const [{ rows }] = await clickhouse.rows<{ rows: number }>(
      `select count() as rows from ${on.database}.erased`,
    );
    return rows;
  };
  on.network.fate = (_, body) => (body.includes("delete from") ? "cut before" : "pass");
  expect(await codeOf(erase(on.store, "proj_lists"))).toBe("UNAVAILABLE");
  expect(await listed()).toBeGreaterThan(0);
  on.network.fate = () => "pass";
  await erase(on.store, "proj_lists");
  expect(await listed()).toBe(0);
});
