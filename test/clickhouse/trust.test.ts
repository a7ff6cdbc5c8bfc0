import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AcceptedEvent } from "../../src/domain/event";
import { digestOf } from "../../src/domain/trust/flagged";
import { trustRead } from "../../src/features/trust/read";
import type { IdentityEntry } from "../../src/store/port";
import { Engine } from "../support/engine/engine";
import { dayMs, event, lastDays, noonMs, projectId } from "../support/engine/examples";
import { type Random, randomFrom, randomSeed } from "../support/random/random";
import { textOf } from "../support/suite/sources";
import { historyMsMax, openDriven } from "./driven";
import { startClickHouse, type TestClickHouse } from "./server-process";

let clickhouse: TestClickHouse;
beforeAll(async () => {
  clickhouse = await startClickHouse();
});
afterAll(() => clickhouse.close());

const linesOf = (name: string): string[] =>
  textOf(`test/trust/texts/${name}`).split("\n").slice(0, -1);
const attacks = linesOf("attacks.ndjson").map((line): string => JSON.parse(line));
const ordinary = linesOf("titles.txt");

/** An attack as it is, in other letters, with other spaces, or behind much else; or a title. */
function someText(random: Random): string {
  const attack = random.pick(attacks);
  return random.pick([
    ...[attack, attack.toUpperCase(), attack.replaceAll(" ", "  "), `  ${attack}\n`],
    ...[attack.replaceAll(" ", "\t"), `${"x".repeat(4_000)} ${attack}`, `é ${attack}`],
    ...[[...attack].slice(0, random.between(1, 20)).join(""), random.pick(ordinary), "/a"],
  ]);
}
/** Draws a value as it may stand in a property. */
function someValue(random: Random): unknown {
  const text = someText(random);
  return random.pick<unknown>([
    ...[text, text, text, 7, "\ud83d", true, null, "", [], [text, 1, { [someText(random)]: text }]],
    { a: [{ b: text }], 'x"y': [] },
  ]);
}
const someEvent = (random: Random): AcceptedEvent =>
  event({
    name: random.chance(0.3) ? someText(random) : "page_view",
    timeMs: noonMs - random.below(12 * dayMs),
    userId: random.chance(0.3) ? someText(random) : random.pick([null, "u1"]),
    sessionId: random.chance(0.3) ? someText(random) : random.pick([null, "s1"]),
    properties: Object.fromEntries(
      Array.from({ length: random.below(4) }, () => [
        random.chance(0.2) ? someText(random) : random.pick(["path", "k"]),
        someValue(random),
      ]),
    ),
  });

test(
  "GET /trust on ClickHouse is that of our own engine, whatever visitors sent",
  async () => {
    const seed = randomSeed();
    const random = randomFrom(seed);
    for (let round = 0; round < 3; round++) {
      const own = new Engine();
      const there = await openDriven(clickhouse.url);
      const events = Array.from({ length: 150 }, () => someEvent(random));
      const entry = { kind: "events", projectId, receivedAtMs: noonMs, events } as const;
      const users = [...new Set(events.map(({ userId }) => userId))].filter((id) => id !== null);
      const identity: IdentityEntry = {
        ...{ kind: "identity", projectId, receivedAtMs: noonMs, traits: { bio: attacks[0] } },
        ...{ previousId: users[0] ?? "a", userId: users[1] ?? "b" },
      };
      for (const engine of [own, there]) {
        await engine.append([entry]);
        await engine.append([identity]);
      }
      own.inspect();
      for (const cleared of [[], [attacks[0], attacks[1]].map(digestOf)]) {
        const policy = { flagged: "show", cleared } as const;
        const asked = { projectId, days: lastDays, policy, limit: 100, show: true };
        const [wanted, got] = await Promise.all(
          [own, there].map((engine) => engine.read(trustRead, asked)),
        );
        expect({ seed, round, ...got }).toEqual({ seed, round, ...wanted });
        expect(got.summary.events).toBeGreaterThan(0);
      }
      own.close();
      await there.close();
    }
  },
  historyMsMax,
);
