import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Asked, PeopleModel } from "../model/people";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { engineMsMax } from "../support/engine/opened-engine";
import { cases } from "../support/random/cases";
import { type Random, randomFrom, randomSeed } from "../support/random/random";

/** Random histories of projects that join, leave and link, each answer compared with a model that walks over all. */

const patienceMs = engineMsMax;
const stepsPerHistory = cases(20, 60);
const minuteMs = 60_000;
const projectNames = ["shop", "blog", "docs", "help"];
const portfolioNames = ["one", "two"];
const users = ["a", "b", "c", "d", "e", "ü😀", "nul\0", "nul\0b", "Z", "1"];
const emails = ["ada@example.org", "bob@example.org", "cy@example.org"];

let app: TestApp;
const projects = new Map<string, TestProject>();
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

/** New projects for each history, in portfolios of their own; what they are called ends with its number. */
class World {
  readonly model: PeopleModel;
  constructor(readonly number: number) {
    this.model = new PeopleModel(projectNames.map((name) => this.named(name)));
  }
  named(name: string): string {
    return `${name}-${this.number}`;
  }

  async open(): Promise<void> {
    for (const name of this.model.projects) projects.set(name, await app.makeProject(name));
    for (const name of portfolioNames) {
      await app.post("/portfolios", { slug: this.named(name), name });
    }
  }
  async setMembers(portfolio: string, members: readonly string[]): Promise<void> {
    const body = { projects: members, allow_move: true };
    const { status } = await app.send("PATCH", `/portfolios/${portfolio}`, { key: app.key, body });
    expect(status).toBe(200);
    this.model.setMembers(portfolio, members);
  }
  async visit(project: string, user: string, timeMs: number): Promise<void> {
    const properties = this.model.visit(project, user, timeMs);
    const event = { event: "visit", user_id: user, timestamp: timeMs, properties };
    await app.track(projectOf(project), event);
  }
  async identify(
    project: string,
    previous_id: string,
    user_id: string,
    email: string | null,
  ): Promise<void> {
    const { token } = projectOf(project);
    const traits = email === null ? {} : { email };
    await app.post("/identify", { token, previous_id, user_id, traits });
    this.model.identify(project, previous_id, user_id, email);
  }

  async unlink(project: string, previous_id: string): Promise<void> {
    const body = { project, previous_id };
    const response = await app.send("POST", "/identities/unlink", { key: app.key, body });
    const wanted = this.model.unlink(project, previous_id);
    expect(response.status).toBe(wanted === null ? 404 : 200);
    if (wanted !== null)
      expect(await response.json()).toEqual({ ok: true, previous_id, ...wanted });
  }

  async compareAll(random: Random): Promise<void> {
    for (const project of this.model.projects) {
      for (const userId of users) await this.compare(project, { userId, email: null }, random);
      for (const email of emails) await this.compare(project, { userId: null, email }, random);
    }
  }
  async compare(project: string, asked: Asked, random: Random): Promise<void> {
    const limit = random.pick([1, 2, 5, 1_000]);
    const body = { project, user_id: asked.userId, email: asked.email };
    const told = { seed: random.seed, asked: { ...asked, project, limit } };
    const journey = await app.post("/journey/lookup", { ...body, limit });
    const wanted: object = { project, ...this.model.journey(project, asked, limit) };
    expect<object>({ ...told, journey: shown(journey) }).toEqual({ ...told, journey: wanted });
    const { rows } = await app.post("/query", {
      ...{ ...body, group_by: ["user_id"], count_mode: "raw", date_from: "30d" },
    });
    const counts = (rows as { user_id: string; event_count: number }[]).map(
      (row) => [row.user_id, row.event_count] as const,
    );
    expect({ ...told, counts: Object.fromEntries(counts) }).toEqual({
      ...told,
      counts: this.model.counts(project, asked),
    });
  }
}

function projectOf(name: string): TestProject {
  const project = projects.get(name);
  if (project === undefined) throw new Error(`no project ${name}`);
  return project;
}

/** Projects by name, and without the ids of events, which the model cannot know. */
function shown(journey: Json) {
  const names = new Map([...projects.values()].map(({ id, name }) => [id, name]));
  const rows = journey.events as Json[];
  const profiles = journey.profiles as Json[];
  return {
    ...journey,
    events: rows.map(({ id: _, project_id, session_id: _session, country: _country, ...row }) => ({
      project: names.get(String(project_id)),
      ...row,
    })),
    profiles: profiles.map(({ project_id, ...profile }) => {
      expect(names.get(String(project_id))).toBe(String(profile.project));
      return profile;
    }),
  };
}

const some = <T>({ chance }: Random, among: readonly T[]): T[] => among.filter(() => chance(0.5));

async function randomStep(world: World, random: Random): Promise<void> {
  const { below, chance, pick } = random;
  const project = pick(world.model.projects);
  if (chance(0.1)) {
    const portfolio = world.named(pick(portfolioNames));
    return world.setMembers(portfolio, some(random, world.model.projects));
  }
  if (chance(0.5)) {
    return world.visit(project, pick(users), noonMs - below(40) * minuteMs);
  }
  if (chance(0.1)) {
    const asked = { userId: pick(users), email: chance(0.5) ? pick(emails) : null };
    return world.compare(project, asked, random);
  }
  if (chance(0.3)) return world.unlink(project, pick(users));
  const email = chance(0.3) ? pick(emails) : null;
  return world.identify(project, pick(users), pick(users), email);
}

let histories = 0;
/** Opens another world each time, so that histories do not meet. */
async function newWorld(): Promise<World> {
  const world = new World(histories++);
  await world.open();
  return world;
}

const seeds = cases([randomSeed()], [11, randomSeed()]);

test.each(seeds)(
  "lookups agree with the model on the history of seed %d",
  async (seed) => {
    const random = randomFrom(seed);
    const world = await newWorld();
    await world.setMembers(world.named("one"), world.model.projects.slice(0, 2));
    for (let step = 0; step < stepsPerHistory; step++) await randomStep(world, random);
    await world.compareAll(random);
  },
  patienceMs,
);

interface Link {
  readonly project: string;
  readonly previousId: string;
  readonly userId: string;
  readonly email: string | null;
}
const randomLinks = ({ chance, pick }: Random, count: number): Link[] =>
  Array.from({ length: count }, () => ({
    project: pick(projectNames),
    previousId: pick(users),
    userId: pick(users),
    email: chance(0.2) ? pick(emails) : null,
  }));
async function tell(world: World, links: readonly Link[]): Promise<void> {
  for (const { project, previousId, userId, email } of links) {
    await world.identify(world.named(project), previousId, userId, email);
  }
}
const matched = async (world: World, project: string, asked: object) => {
  const body = { project: world.named(project), ...asked };
  return (await app.post("/events/lookup", body)).matched_user_ids;
};
const shuffled = <T>({ below }: Random, items: readonly T[]): T[] => {
  const left = [...items];
  return items.flatMap(() => left.splice(below(left.length), 1));
};

describe.each(cases([randomSeed()], [21, 22, randomSeed()]))("in a portfolio (seed %d)", (seed) => {
  test(
    "the order in which links are told does not matter",
    async () => {
      const random = randomFrom(seed);
      const links = randomLinks(random, 7);
      const found: unknown[] = [];
      for (let order = 0; order < 3; order++) {
        const world = await newWorld();
        await world.setMembers(world.named("one"), world.model.projects);
        await tell(world, shuffled(random, links));
        const sets = [
          ...users.map((user_id) => matched(world, random.pick(projectNames), { user_id })),
          ...emails.map((email) => matched(world, random.pick(projectNames), { email })),
        ];
        found.push(await Promise.all(sets));
      }
      expect({ seed, found: found[1] }).toEqual({ seed, found: found[0] });
      expect({ seed, found: found[2] }).toEqual({ seed, found: found[0] });
    },
    patienceMs,
  );

  test(
    "who leaves leaves nothing behind",
    async () => {
      const random = randomFrom(seed);
      const links = randomLinks(random, 12);
      const [leaver = "", ...others] = shuffled(random, projectNames);
      const stayed = await newWorld();
      const without = await newWorld();
      for (const world of [stayed, without]) {
        await world.setMembers(world.named("one"), world.model.projects);
      }
      await tell(stayed, links);
      await tell(
        without,
        links.filter(({ project }) => project !== leaver),
      );
      for (const world of [stayed, without]) {
        await world.setMembers(
          world.named("one"),
          others.map((name) => world.named(name)),
        );
      }
      for (const project of others) {
        for (const user_id of users) {
          const found = await matched(stayed, project, { user_id });
          expect({ seed, found }).toEqual({
            ...{ seed, found: await matched(without, project, { user_id }) },
          });
        }
        for (const email of emails) {
          const found = await matched(stayed, project, { email });
          expect({ seed, found }).toEqual({
            ...{ seed, found: await matched(without, project, { email }) },
          });
        }
      }
    },
    patienceMs,
  );
});
