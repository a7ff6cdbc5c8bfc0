import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const noon = Date.UTC(2026, 0, 14, 12);
const minute = 60_000;
const hour = 60 * minute;

let made = 0;
/** An experiment "hero" that began an hour ago, in a project of its own. */
async function running(more: Json = {}, goal: Json | null = null) {
  const project = await app.makeProject(`site${++made}`);
  if (goal !== null) await app.post("/goals", { project: project.name, ...goal });
  app.setTime(noon - hour);
  const { id } = await app.post("/experiments", {
    project: project.name,
    name: "hero",
    variants: ["control", "b"],
    goal_event: "signup",
    ...more,
  });
  app.setTime(noon);
  return { project, id: String(id) };
}

/** An event at minute `at` of the experiment. */
const event = (at: number, user: string | null, name: string, properties: Json | null = null) => ({
  event: name,
  user_id: user,
  timestamp: noon - hour + at * minute,
  properties,
});
const exposure = (at: number, user: string | null, variant: unknown, more: Json = {}) =>
  event(at, user, "$experiment_exposure", { experiment: "hero", variant, ...more });
const goal = (at: number, user: string | null) => event(at, user, "signup");

interface Counted {
  readonly key: string;
  readonly exposures: number;
  readonly unique_users: number;
  readonly conversions: number;
  readonly conversion_rate: number;
}
interface WithResults extends Json {
  readonly results: Json & { readonly variants: readonly Counted[] };
}
const read = (id: string) => app.get(`/experiments/${id}`) as Promise<WithResults>;
/** `[exposures, users, conversions]` by variant. */
async function counts(id: string): Promise<readonly (readonly number[])[]> {
  const { variants } = (await read(id)).results;
  return variants.map((one) => [one.exposures, one.unique_users, one.conversions]);
}
async function counted(project: TestProject, id: string, ...events: readonly Json[]) {
  await app.track(project, ...events);
  return counts(id);
}

test("without an event there is the record, and results that conclude nothing", async () => {
  const { project, id } = await running();
  const { experiments } = (await app.get(`/experiments?project=${project.name}`)) as {
    experiments: Json[];
  };
  const [record] = experiments;
  const none = { exposures: 0, unique_users: 0, conversions: 0, conversion_rate: 0 };
  const answer = await read(id);
  expect(answer).toEqual({
    ...record,
    results: {
      variants: [
        { key: "control", ...none },
        { key: "b", ...none },
      ],
      probability_best: { control: 0.5, b: 0.5 },
      lift: { control: 0, b: 0 },
      sufficient_data: false,
      recommendation:
        'Not enough data: "control" lacks 100 exposures, "b" lacks 100 exposures. Keep the experiment running until ' +
        "every variant has 100 exposures; before that, the result is not reliable.",
      recommendation_code: "insufficient_data",
    },
  });
  expect(Object.keys(answer).slice(0, 4)).toEqual(["id", "project_id", "account_id", "name"]);
});

test("a whole experiment, to the digit", async () => {
  const { project, id } = await running();
  const events = [...Array(100).keys()].flatMap((n) => [
    exposure(1, `c${n}`, "control"),
    exposure(1, `b${n}`, "b"),
    ...(n < 10 ? [goal(2, `c${n}`)] : []),
    ...(n < 14 ? [goal(2, `b${n}`)] : []),
  ]);
  for (let at = 0; at < events.length; at += 100) {
    await app.track(project, ...events.slice(at, at + 100));
  }
  expect((await read(id)).results).toEqual({
    variants: [
      { key: "control", exposures: 100, unique_users: 100, conversions: 10, conversion_rate: 0.1 },
      { key: "b", exposures: 100, unique_users: 100, conversions: 14, conversion_rate: 0.14 },
    ],
    probability_best: { control: 0.197, b: 0.803 },
    lift: { control: -0.286, b: 0.4 },
    sufficient_data: true,
    recommendation:
      '"b" is the best variant with a probability of 80%; its lift over the control is 40%. The result is not ' +
      "conclusive yet. Keep the experiment running until a variant reaches 90%.",
    recommendation_code: "leaning",
  });
});

describe("exposures", () => {
  test("are those of the experiment's name and of its keys, nobody's included", async () => {
    const { project, id } = await running();
    const got = await counted(
      project,
      id,
      exposure(1, "u", "control"),
      exposure(2, "u", "control"),
      exposure(1, null, "b"),
      exposure(1, "v", "c"),
      exposure(1, "v", "Control"),
      exposure(1, "v", null),
      exposure(1, "v", ["control"]),
      event(1, "v", "$experiment_exposure", { experiment: "Hero", variant: "control" }),
      event(1, "v", "$experiment_exposure", { variant: "control" }),
      event(1, "v", "$experiment_exposure"),
      event(1, "v", "exposure", { experiment: "hero", variant: "control" }),
    );
    expect(got).toEqual([
      [2, 1, 0],
      [1, 0, 0],
    ]);
  });

  test("that were forced count nowhere: not to a user's variant, not as a goal", async () => {
    const { project, id } = await running();
    const forced = { forced: true };
    const got = await counted(
      project,
      id,
      exposure(1, "u", "b", forced),
      exposure(5, "u", "control"),
      goal(3, "u"),
      exposure(1, "only", "b", forced),
      goal(2, "only"),
      exposure(1, "not", "b", { forced: false }),
      exposure(1, "nor", "b", { forced: "true" }),
    );
    expect(got).toEqual([
      [1, 1, 0],
      [2, 2, 0],
    ]);
    const self = await running({ goal_event: "$experiment_exposure" });
    const again = await counted(
      self.project,
      self.id,
      exposure(1, "u", "control"),
      exposure(1, "v", "b", forced),
      exposure(2, "w", "b"),
      exposure(1, "w", "b", forced),
    );
    expect(again).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);
  });

  test("that were forced do not count as goal events, although the goal's filter matches them", async () => {
    const filters = [{ field: "properties.variant", op: "eq", value: "b" }];
    const seen = { name: "Seen", event: "$experiment_exposure", filters };
    const { project, id } = await running({ goal_event: { goal: "Seen" } }, seen);
    const got = await counted(
      project,
      id,
      ...[exposure(1, "u", "control"), exposure(5, "u", "b", { forced: true })],
      ...[exposure(1, "v", "control"), exposure(5, "v", "b")],
    );
    expect(got).toEqual([
      [2, 2, 1],
      [1, 0, 0],
    ]);
  });
});

describe("a user", () => {
  test("belongs to the variant of the earliest exposure, by arrival within a millisecond", async () => {
    const { project, id } = await running();
    const got = await counted(
      project,
      id,
      exposure(9, "late", "b"),
      exposure(2, "late", "control"),
      exposure(4, "tied", "b"),
      exposure(4, "tied", "control"),
    );
    expect(got).toEqual([
      [2, 1, 0],
      [2, 1, 0],
    ]);
  });

  test("has converted with a goal at or after it, however often", async () => {
    const { project, id } = await running();
    const got = await counted(
      project,
      id,
      ...[goal(2, "before"), exposure(3, "before", "control")],
      ...[exposure(3, "at", "control"), goal(3, "at")],
      ...[goal(4, "sent first"), exposure(4, "sent first", "control")],
      ...[exposure(3, "after", "b"), goal(4, "after"), goal(5, "after"), goal(1, "after")],
      goal(9, "never exposed"),
      goal(9, null),
      exposure(3, "in neither", "b"),
    );
    expect(got).toEqual([
      [3, 3, 2],
      [2, 2, 1],
    ]);
  });

  test("is one person after /identify, from before and after the exposure", async () => {
    const { project, id } = await running();
    await app.track(project, exposure(2, "anon_1", "control"), exposure(5, "anon_2", "b"));
    await app.track(project, goal(7, "anon_1"), goal(8, "ann"));
    expect(await counts(id)).toEqual([
      [1, 1, 1],
      [1, 1, 0],
    ]);
    const identify = (previous: string, user: string) =>
      app.post("/identify", { token: project.token, previous_id: previous, user_id: user });
    await identify("anon_2", "ann");
    expect(await counts(id)).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);
    // Now one person, whose earliest exposure was to the control.
    await identify("anon_1", "ann");
    expect(await counts(id)).toEqual([
      [1, 1, 1],
      [1, 0, 0],
    ]);
  });
});

describe("the window", () => {
  test("begins with the experiment's millisecond and ends with now", async () => {
    const { project, id } = await running();
    const at = (timestamp: number, user: string, name: string) => ({
      ...exposure(0, user, "control"),
      ...(name === "signup" ? { event: name } : {}),
      timestamp,
    });
    await app.track(
      project,
      at(noon - hour - 1, "too early", "exposure"),
      at(noon - hour, "first", "exposure"),
      at(noon - hour, "first", "signup"),
      at(noon, "last", "exposure"),
      at(noon + 1, "last", "signup"),
      at(noon + 1, "too late", "exposure"),
    );
    expect(await counts(id)).toEqual([
      [2, 2, 1],
      [0, 0, 0],
    ]);
    app.setTime(noon + 1);
    expect(await counts(id)).toEqual([
      [3, 3, 2],
      [0, 0, 0],
    ]);
    app.setTime(noon);
  });

  test("ends where the experiment was completed; a pause is part of it", async () => {
    const { project, id } = await running();
    const become = (status: string) =>
      app.send("PATCH", `/experiments/${id}`, { key: app.key, body: { status } });
    await become("paused");
    await app.track(project, exposure(5, "u", "b"), goal(60, "u"), goal(60, "v"));
    await become("completed");
    app.setTime(noon + minute);
    await app.track(project, exposure(0, "v", "b"), {
      ...exposure(0, "w", "b"),
      timestamp: noon + 1,
    });
    expect(await counts(id)).toEqual([
      [0, 0, 0],
      [2, 2, 2],
    ]);
    app.setTime(noon);
  });
});
