import { afterAll, beforeAll, expect, test } from "bun:test";
import { allTime } from "../../src/domain/period";
import type { AutomatedEntry, Entry, IdentityEntry, Read } from "../../src/store/port";
import type { Snapshot } from "../../src/store/questions";
import type { Driven } from "../support/engine/driven";
import { at, Engine } from "../support/engine/engine";
import { event, noonMs } from "../support/engine/examples";
import { randomFrom } from "../support/random/random";
import { openDriven } from "./driven";
import { startClickHouse, type TestClickHouse } from "./server-process";

/** What stands in plain tables: both engines are told the same, and must answer the same. */

const projects = ["proj_shop", "proj_blog"];
const users = ["ann", "anon-1", "nul\0", "ü😀", "phone", "\u2028"];
const digests = ["1", "2", "3"].map((digit) => digit.repeat(64));
const dates = ["2026-01-13", "2026-01-14"];
const categories = ["generic_bot", "ai_crawler"];

let clickhouse: TestClickHouse;
beforeAll(async () => {
  clickhouse = await startClickHouse();
});
afterAll(() => clickhouse.close());

const { between, chance, pick } = randomFrom(7);

function identityEntry(): IdentityEntry {
  const projectId = pick(projects);
  return {
    ...{ kind: "identity", projectId, receivedAtMs: noonMs },
    ...{ previousId: pick(users), userId: pick(users) },
    traits: chance(0.5) ? { [pick(["plan", "__proto__", "10", "ü"])]: pick(["a", null, 7]) } : null,
    ...(chance(0.5) && { membership: `mem_${projectId}` }),
    emails: chance(0.4)
      ? [{ membership: chance(0.5) ? `mem_${projectId}` : null, digest: pick(digests) }]
      : [],
  };
}
const automatedEntry = (): AutomatedEntry => ({
  ...{
    kind: "automated",
    projectId: pick(projects),
    date: pick(dates),
    category: pick(categories),
  },
  actor: pick(["GPTBot", "curl", "Other", 'quo"te']),
  requests: between(1, 9),
  droppedEvents: between(0, 3),
  lastSeenAtMs: noonMs + between(0, 1_000),
});
const eventsEntry = (): Entry => ({
  ...{
    kind: "events",
    projectId: pick(projects),
    receivedAtMs: noonMs - between(0, 1) * 86_400_000,
  },
  events: [event({ userId: pick(users), timeMs: noonMs - between(0, 9_999) })],
});

type Told = Record<string, unknown>;
const sorted = (texts: readonly string[]): string[] => texts.toSorted();

const toldRead: Read<null, Told> = {
  name: "told",
  scope: () => ({ projectIds: projects, ...allTime }),
  run: async (snapshot: Snapshot) => {
    const told: Told = {};
    const asked = { projectIds: [...projects, "proj_none"], from: dates[0], to: dates[1] };
    told.totals = await snapshot.automatedTotals(asked);
    told.categories = await snapshot.automatedByCategory(asked);
    told.actors = await snapshot.automatedByActor(asked, 5);
    told.named = await snapshot.automatedByActor(
      { ...asked, actors: ["GPTBot", 'quo"te', "none"] },
      2,
    );
    told.projects = (await snapshot.automatedByProject(asked)).toSorted((a, b) =>
      a.project < b.project ? -1 : 1,
    );
    told.dates = (await snapshot.automatedByDate(asked)).toSorted((a, b) =>
      a.date < b.date ? -1 : 1,
    );
    for (const projectId of [...projects, "proj_none"]) {
      const scopes = [null, `mem_${projectId}`].map((membership) => ({ projectId, membership }));
      told[`${projectId} people`] = await snapshot.people(projectId, users);
      told[`${projectId} mapped`] = await snapshot.mappedUsers(projectId, users);
      told[`${projectId} stored`] = await snapshot.storedEvents(projectId);
      told[`${projectId} received`] = await snapshot.receivedDays(
        projectId,
        "2026-01-01",
        "2026-02-01",
      );
      for (const digest of digests) {
        told[`${projectId} ${digest}`] = sorted(await snapshot.usersTold(scopes, digest, 100));
      }
      for (const user of users) {
        told[`${projectId} ${user} with`] = sorted(
          await snapshot.usersNamedWith(scopes, user, 100),
        );
        told[`${projectId} ${user} digests`] = sorted(await snapshot.digestsOf(scopes, user, 100));
      }
    }
    return told;
  },
};

async function change(
  engine: Driven & { unlink(project: string, id: string, membership?: string | null): unknown },
  step: number,
  entries: readonly Entry[],
) {
  await engine.append(entries);
  if (step % 3 === 1)
    await engine.unlink(
      projects[step % 2],
      users[step % users.length],
      `mem_${projects[step % 2]}`,
    );
  if (step === 6) await engine.forget(projects[0], Date.UTC(2026, 0, 14));
  if (step === 8) await engine.purge(projects[1]);
}

test("people, addresses, automated requests and counts are what our own engine says", async () => {
  const own = new Engine();
  const other = await openDriven(clickhouse.url);
  try {
    await at(noonMs, async () => {
      for (let step = 0; step < 10; step++) {
        const entries = Array.from({ length: between(1, 6) }, () =>
          pick([identityEntry, identityEntry, automatedEntry, eventsEntry])(),
        );
        await change(own, step, entries);
        await change(other, step, entries);
        const [got, wanted] = [await other.read(toldRead, null), await own.read(toldRead, null)];
        for (const key of Object.keys(wanted)) {
          expect([step, key, JSON.stringify(got[key])]).toEqual([
            step,
            key,
            JSON.stringify(wanted[key]),
          ]);
        }
        if (step === 4) await other.restart();
      }
    });
  } finally {
    own.close();
    await other.close();
  }
});
