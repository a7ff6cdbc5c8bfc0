import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { reads } from "../../src/features/reads";
import { at, Engine, type PlaceInRead, usualSizes } from "../support/engine/engine";
import { dayMs, event, noonMs } from "../support/engine/examples";
import { cases } from "../support/random/cases";
import {
  blog,
  type ExampleRead,
  entriesOfDay,
  exampleReads,
  firstMs,
  identityOf,
  shop,
  userIds,
} from "../support/world/example-reads";

/**
 * A read answers from the state of the store in which it began, whatever is committed between its statements or while
 * one of them goes through segments: by ingestion, by the writer's maintenance, or by somebody who deletes the project.
 */

const stagingId = "proj_staging000000001";
/** Little data is enough for segments of columns, segments that settle, and rows. */
const sizes = {
  ...usualSizes,
  ...{ columnEventsMin: 16, mergeFanIn: 2, settledEventsMin: 16, absorbedEventsMax: 50 },
};

let stored: Engine;
let before: string[];
beforeAll(async () => {
  stored = new Engine(sizes);
  at(noonMs, () => {
    for (const day of [0, 1]) {
      stored.append(entriesOfDay(day));
      stored.compact();
    }
    stored.append(entriesOfDay(2));
    const events = [event({ userId: "staging", sessionId: "other", name: "buy" })];
    stored.append([{ kind: "events", projectId: stagingId, receivedAtMs: noonMs, events }]);
  });
  before = await answersOf(stored);
});
afterAll(() => stored.close());

const projectIds = [shop, blog].map(({ projectId }) => projectId);
/** What is retired or deleted is freed: it was two minutes ago. */
const sweepLater = (engine: Engine): void => at(noonMs + 120_000, () => engine.sweep());

interface Commit {
  readonly name: string;
  /** False means that what is stored stays the same, and only where and how it is stored changes. */
  readonly changesAnswers: boolean;
  run(engine: Engine): void;
}

const commits: readonly Commit[] = [
  {
    name: "events and counts that come in",
    changesAnswers: true,
    run: (engine) => engine.append(entriesOfDay(2)),
  },
  {
    name: "users that are linked",
    changesAnswers: true,
    run: (engine) =>
      engine.append([
        ...userIds.slice(1).map((userId) => identityOf(shop, userId, "u0", noonMs)),
        ...userIds.slice(1).map((userId) => identityOf(blog, userId, "u0", noonMs)),
      ]),
  },
  {
    // An id that is linked to a second one gets another number.
    name: "users that are renumbered",
    changesAnswers: true,
    run: (engine) => {
      for (const target of ["first", "second"]) {
        for (const userId of userIds) {
          engine.append([shop, blog].map((of) => identityOf(of, userId, target, noonMs)));
        }
      }
    },
  },
  {
    name: "a purge, and its sweep",
    changesAnswers: true,
    run: (engine) => {
      for (const projectId of projectIds) engine.purge(projectId);
      sweepLater(engine);
    },
  },
  {
    name: "a purge, and events that come afterwards",
    changesAnswers: true,
    run: (engine) => {
      engine.purge(shop.projectId);
      engine.append(entriesOfDay(2));
    },
  },
  {
    name: "another project that takes the place",
    changesAnswers: true,
    run: (engine) => {
      engine.replaceProject(shop.projectId, stagingId);
      sweepLater(engine);
    },
  },
  {
    name: "retention, and its sweep",
    changesAnswers: true,
    run: (engine) => {
      for (const projectId of projectIds) engine.forget(projectId, firstMs + 2.01 * dayMs);
      sweepLater(engine);
    },
  },
  {
    name: "memberships that end, and their sweep",
    changesAnswers: true,
    run: (engine) => {
      for (const of of [shop, blog]) engine.endMembership(of.projectId, of.membership);
      sweepLater(engine);
    },
  },
  {
    name: "merges, notes of shared sessions and the sweep of what was merged",
    changesAnswers: false,
    run: (engine) => {
      engine.noteOverlaps();
      engine.compact();
      engine.noteOverlaps();
      sweepLater(engine);
    },
  },
];

/** Each commit is tried with every fifth read, and each read with one commit or two; or all with all. */
const askedEvery = cases(5, 1);

const knownPlaces = new Map<ExampleRead, Promise<number[]>>();
/**
 * Returns the places at which a read can be interrupted: before each question but the first, and at the last one within
 * each.
 */
function placesIn(read: ExampleRead): Promise<number[]> {
  const known = knownPlaces.get(read) ?? findPlaces(read);
  knownPlaces.set(read, known);
  return known;
}

async function findPlaces(read: ExampleRead): Promise<number[]> {
  const engine = new Engine(sizes, stored);
  const places: PlaceInRead[] = [];
  engine.meanwhile = (place) => places.push(place);
  await at(noonMs, () => read.ask(engine));
  engine.close();
  return places.flatMap((place, index) => {
    if (index === 0) return [];
    return place === "question" || places[index + 1] !== "within" ? [index] : [];
  });
}

const answersOf = (engine: Engine): Promise<string[]> =>
  at(noonMs, async () => {
    const answers: string[] = [];
    for (const read of exampleReads) answers.push(await read.ask(engine));
    return answers;
  });

test("there is an example of every read", () => {
  expect([...new Set(exampleReads.map(({ name }) => name))].sort()).toEqual(
    [...reads.keys()].sort(),
  );
});

describe.each(commits.map((commit, turn) => [commit.name, commit, turn] as const))(
  "%s",
  (_name, { run, changesAnswers }, turn) => {
    const isAsked = (index: number): boolean => (index + turn) % askedEvery === 0;
    let after: string[];
    beforeAll(async () => {
      const engine = new Engine(sizes, stored);
      at(noonMs, () => run(engine));
      after = await answersOf(engine);
      engine.close();
    });

    test(`${changesAnswers ? "shows" : "does not show"} in reads that begin afterwards`, () => {
      expect(after.some((answer, index) => answer !== before[index])).toBe(changesAnswers);
    });

    test.each(
      exampleReads
        .map(({ name }, index) => [name, index] as const)
        .filter(([, index]) => isAsked(index)),
    )("does not show in a read that goes on: %s (%d)", async (_, index) => {
      const read = exampleReads[index];
      const places = await placesIn(read);
      // The last one is where names are asked for. Random histories interrupt reads anywhere.
      for (const place of new Set([places[index % places.length], places[places.length - 1]])) {
        const engine = new Engine(sizes, stored);
        let visited = 0;
        engine.meanwhile = () => {
          if (visited++ === place) at(noonMs, () => run(engine));
        };
        const during = await at(noonMs, () => read.ask(engine));
        const next = await at(noonMs, () => read.ask(engine));
        engine.close();
        expect({ place, during, next }).toEqual({
          place,
          during: before[index],
          next: after[index],
        });
      }
    });
  },
);
