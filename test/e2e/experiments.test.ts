import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openTrackedSite, type TrackedSite } from "../support/browser/tracked-site";
import { untilInPage } from "../support/browser/until-in-page";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { variantOf, type Weighted } from "../support/world/bucket";

interface Counts {
  readonly key: string;
  readonly exposures: number;
  readonly unique_users: number;
  readonly conversions: number;
}
interface Experiment {
  readonly id: string;
  readonly variants: readonly Weighted[];
  readonly results: { readonly variants: readonly Counts[]; readonly recommendation: string };
}

const headline = { control: "Analytics", clear: "Numbers you can trust" } as const;
const visitors = 24;

describe("an A/B test from its creation to its result", () => {
  let world: TrackedSite;
  let experiment: Experiment;
  const api = async (method: string, path: string, body?: unknown): Promise<Experiment> => {
    const reply = await ask(world.server.url, method, path, { "X-API-Key": world.key }, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.body}`);
    return JSON.parse(reply.body);
  };
  const eventsOf = async (userId: string): Promise<readonly { readonly event: string }[]> => {
    const asked = { project: "tested", user_id: userId };
    const headers = { "X-API-Key": world.key };
    const reply = await ask(world.server.url, "POST", "/events/lookup", headers, asked);
    return JSON.parse(reply.body).events;
  };
  beforeAll(async () => {
    world = await openTrackedSite("tested");
    experiment = await api("POST", "/experiments", {
      project: "tested",
      name: "headline",
      variants: ["control", "clear"],
      weights: [40, 60],
      goal_event: "sign_up",
    });
  });
  afterAll(() => world.close());

  /** A new visitor's way through the page; returns who it was and what was read there. */
  async function visit(query: string, act: "sign up" | "identify" | "leave", isExposed = true) {
    const { page, context, problems } = await world.visitor();
    await page.goto(`${world.origin}/experiment${query}`);
    await untilInPage(page, `!document.documentElement.classList.contains("aa-loading")`);
    const read = await page.textContent("h1");
    const id = await page.evaluate<string>("window.aa.getIdentity().anonymousId");
    if (act === "identify") await page.evaluate(`window.aa.identify("user-of-${id}")`);
    if (act !== "leave") await page.click("button");
    await page.goto("about:blank");
    // A browser whose context is closed sends nothing more.
    const told = [
      ...(isExposed ? ["$experiment_exposure"] : []),
      ...(act === "leave" ? [] : ["sign_up"]),
    ];
    await eventually(async () => {
      const events = await eventsOf(id);
      expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(told));
    });
    await context.close();
    expect(problems).toEqual([]);
    return { id, read, converts: act !== "leave" };
  }

  test("visitors see what the hash says, and the API counts what they did", async () => {
    const expected = new Map(
      ["control", "clear"].map((key) => [
        key,
        { key, exposures: 0, unique_users: 0, conversions: 0 },
      ]),
    );
    for (let visitor = 0; visitor < visitors; visitor++) {
      const act = visitor % 6 === 0 ? "identify" : visitor % 3 === 0 ? "sign up" : "leave";
      const { id, read, converts } = await visit("", act);
      const key = variantOf("headline", experiment.variants, id);
      expect([id, read]).toEqual([id, headline[key as keyof typeof headline]]);
      const counts = expected.get(key);
      if (counts === undefined) throw new Error(`No variant ${key}.`);
      counts.exposures++;
      counts.unique_users++;
      if (converts) counts.conversions++;
    }
    // A visitor with a variant in the page's address sees that one, and is not counted.
    for (const [key, text] of Object.entries(headline)) {
      const { read } = await visit(`?aa_variant_headline=${key}`, "sign up");
      expect(read).toBe(text);
    }
    await eventually(async () => {
      const forced = (await world.settled()).filter(({ properties }) => properties.forced === true);
      expect(forced.map(({ event, properties }) => [event, properties.variant]).sort()).toEqual([
        ["$experiment_exposure", "clear"],
        ["$experiment_exposure", "control"],
      ]);
      const { results } = await api("GET", `/experiments/${experiment.id}`);
      expect(results.variants.map(({ key, ...counts }) => ({ key, ...only(counts) }))).toEqual([
        ...expected.values(),
      ]);
      for (const { exposures } of results.variants) expect(exposures).toBeGreaterThan(0);
      expect(results.recommendation).toStartWith("Not enough data");
    });
  });

  test("once it is completed, pages keep their content", async () => {
    await api("PATCH", `/experiments/${experiment.id}`, { status: "completed", winner: "clear" });
    const { read } = await visit("?aa_variant_headline=clear", "leave", false);
    expect(read).toBe(headline.control);
  });
});

const only = ({ exposures, unique_users, conversions }: Omit<Counts, "key">) => ({
  exposures,
  unique_users,
  conversions,
});
