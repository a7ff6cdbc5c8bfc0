import { afterAll, beforeAll, expect, test } from "bun:test";
import { violationsOf } from "../support/browser/accessibility";
import { askApi, logIn, openPage, settled, tileOf } from "../support/browser/dashboard-use";
import { sound, structureOf } from "../support/browser/page-structure";
import { hostileText } from "../support/browser/person-pages";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld({ hasHostileEvent: false });
  await logIn(world);
});
afterAll(() => world.pages.close());

interface Goal {
  readonly name: string;
}
const goals = async () =>
  (await askApi<{ goals: readonly Goal[] }>(world, `/goals?project=${world.shop}`)).goals;

/** The same numbers as the API's, over the dates that the page asks for. */
async function numbersOf(name: string): Promise<RegExp> {
  const day = (back: number) =>
    new Date(world.nowMs - back * 86_400_000).toISOString().slice(0, 10);
  const dates = { date_from: day(29), date_to: day(0) };
  const { rows } = await askApi<{
    rows: { goal: Goal; goal_events: number; conversions: number; revenue: number }[];
  }>(world, "/query", { project: world.shop, goals: true, ...dates });
  const row = rows.find((one) => one.goal.name === name);
  expect(row?.goal_events).toBeGreaterThan(10);
  const money = Intl.NumberFormat("en", { style: "currency", currency: "EUR" });
  const sum = money.format(row?.revenue ?? 0).replace(".", "\\.");
  return new RegExp(`${row?.goal_events} times in ${row?.conversions} sessions, .*${sum}`);
}

test("a goal with money is made from what arrived, counted while it is written, and listed", async () => {
  const { page } = world.pages;
  const asked = new Set<string>();
  page.on("request", (request) => asked.add(new URL(request.url()).pathname));
  await openPage(world, "project/goals");
  await world.pages.shown("main", /No goals yet/);
  // The tabs that are not open send nothing.
  const ofOthers = ["/shares", "/reports", "/alerts", "/trust", "/project-context", "/members"];
  expect(ofOthers.filter((path) => asked.has(path))).toEqual([]);
  await page.fill("#goal-name", hostileText);
  await page.fill("#goal-match", "purchase");
  await page.locator("label[for=goal-value] option[value=amount]").waitFor({ state: "attached" });
  await page.fill("#goal-value", "amount");
  await page.fill("#goal-currency", "eur");
  await world.pages.shown("#goal-preview", /Last 30 days: \d+ times in .*€/);
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await world.pages.shown("#goals li", /taken over/);
  await settled(world);
  await world.pages.shown("#goals li", await numbersOf(hostileText));
  expect(await goals()).toMatchObject([
    { name: hostileText, event: "purchase", value: { property: "amount", currency: "EUR" } },
  ]);
});

test("a refusal stands at its field, and a condition narrows the goal", async () => {
  const { page } = world.pages;
  await openPage(world, "project/goals");
  await page.fill("#goal-name", hostileText.toUpperCase());
  await page.selectOption("#goal-kind", "page");
  await page.fill("#goal-match", "/docs*");
  await page.getByRole("button", { name: "Create goal" }).click();
  await world.pages.shown("label[for=goal-name]", /Another goal has this name/);
  await page.fill("#goal-name", "Docs");
  await page.getByRole("button", { name: "Add a condition" }).click();
  await page.getByRole("button", { name: "Create goal" }).click();
  await world.pages.shown("#goal-conditions", /has no value/);
  await page.locator("#goal-conditions input").fill("DE");
  await page.fill("#goal-value", "amount");
  await page.fill("#goal-currency", "ABC");
  await page.getByRole("button", { name: "Create goal" }).click();
  await world.pages.shown("label[for=goal-currency]", /three letters of a currency/);
  await page.fill("#goal-value", "");
  await page.fill("#goal-once", "not a key");
  await page.getByRole("button", { name: "Create goal" }).click();
  await world.pages.shown("label[for=goal-once]", /letters, digits and _ only/);
  await page.fill("#goal-once", "");
  await page.getByRole("button", { name: "Create goal" }).click();
  await world.pages.shown("#goals li", /Docs.*Page \/docs\* where Country is Germany/s);
  for (const width of [1440, 768, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await eventually(async () => expect([width, await structureOf(page)]).toEqual([width, sound]));
  }
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("a goal is changed, and deleted with a word about what uses it", async () => {
  const { page } = world.pages;
  const body = { project: world.shop, name: "docs-test", variants: ["a", "b"] };
  await askApi(world, "/experiments", { ...body, goal_event: { goal: "Docs" } }, 201);
  await openPage(world, "project/goals");
  await page.getByRole("button", { name: "Change Docs" }).click();
  await eventually(async () => expect(await page.inputValue("#goal-match")).toBe("/docs*"));
  await page.fill("#goal-name", "Manual");
  await page.getByRole("button", { name: "Save goal" }).click();
  await world.pages.shown("#goals li", /Manual/);
  await page.getByRole("button", { name: "Delete Manual" }).click();
  await world.pages.shown("#question-text", /Experiments that keep its definition: “docs-test”/);
  await world.pages.confirm();
  await world.pages.gone("#goals li", /Manual/);
  expect((await goals()).map(({ name }) => name)).toEqual([hostileText]);
});

test("a project with events is renamed, and its id stays", async () => {
  const { page } = world.pages;
  interface Listed {
    readonly projects: readonly { readonly id: string; readonly name: string }[];
  }
  const idOf = async (wanted: string) =>
    (await askApi<Listed>(world, "/projects")).projects.find(({ name }) => name === wanted)?.id;
  const id = await idOf("a-blog");
  await world.pages.goto("/app/p/a-blog/project");
  await world.pages.shown("main", new RegExp(`${id}`));
  await page.fill("#site-name", "the-blog");
  await page.press("#site-name", "Enter");
  await page.waitForURL("**/app/p/the-blog/project");
  expect(await idOf("the-blog")).toBe(id);
  await world.pages.goto(`/app/p/${id}/overview`);
  await settled(world);
  expect(await tileOf(world, "Visitors")).toMatch(/[1-9]/);
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
