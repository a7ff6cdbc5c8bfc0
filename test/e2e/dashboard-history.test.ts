import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { askApi, dateDaysAgo, logIn, settled } from "../support/browser/dashboard-use";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

const days = { first: 60, last: 31 };
const dayMs = 86_400_000;

/** An export of sums for a month, and of one event after them. */
function exported(): string {
  const counts = { visitors: 7, visits: 9, page_views: 20, events: 21, bounces: 3, seconds: 600 };
  const lines: object[] = [
    { kind: "sightline", version: 1, project: "old", timezone: "UTC", exported_at: world.nowMs },
  ];
  for (let daysAgo = days.first; daysAgo >= days.last; daysAgo--) {
    const of = { dimension: "total", value: "", import: { id: "imp_before", kind: "plausible" } };
    lines.push({ kind: "day", date: dateDaysAgo(world, daysAgo), ...of, ...counts });
  }
  lines.push({
    ...{ kind: "event", id: "0".repeat(26), timestamp: world.nowMs - 20 * dayMs },
    ...{ event: "page_view", user_id: "u1", session_id: "s1", country: null, properties: {} },
  });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  const end = { kind: "end", count: lines.length - 1, last_id: null, sha256 };
  return `${text}${JSON.stringify(end)}\n`;
}

async function imported(project: string): Promise<void> {
  const file = exported();
  const sha256 = createHash("sha256").update(file).digest("hex");
  const about = { project, size: Buffer.byteLength(file), sha256, kind: "sightline" };
  const { id } = await askApi<{ id: string }>(world, "/imports", about, 201);
  const sent = await fetch(`${world.pages.server.url}/imports/${id}/data?offset=0`, {
    ...{ method: "PUT", body: file, headers: { "X-API-Key": world.key } },
  });
  expect(sent.status).toBe(200);
  for (const [step, state] of [
    ["check", "checked"],
    ["commit", "done"],
  ] as const) {
    await askApi(world, `/imports/${id}/${step}`, {}, 202);
    await eventually(async () => {
      const shown = await askApi<{ state: string }>(world, `/imports/${id}`);
      expect(shown.state).toBe(state);
    });
  }
}

test("the overview draws the days of another product in a tone of their own, as /history has them", async () => {
  const { page } = world.pages;
  const site = { name: "moved-in", allowed_origins: "https://old.example.com" };
  const { id } = await askApi<{ id: string }>(world, "/projects", site, 201);
  await imported(id);
  await world.pages.goto("/app/p/moved-in/overview?period=90d");
  await settled(world);
  await world.pages.shown(".legend", /imported from plausible · daily visitors added up/);
  expect(await page.locator(".legend .swatch.imported").count()).toBe(1);
  const { totals } = await askApi<{ totals: Record<string, number> }>(
    world,
    `/history?project=moved-in&since=90d`,
  );
  expect(totals).toMatchObject({ days: 30, visitor_days: 210 });
  await eventually(async () =>
    expect(await page.locator(".line.imported path").count()).toBeGreaterThan(0),
  );
  await page.getByRole("button", { name: "Show as a table" }).first().click();
  await eventually(async () => {
    const cells = await page.locator("td.num").allInnerTexts();
    expect(cells.filter((text) => text === "7")).toHaveLength(30);
  });
  await world.pages.goto("/app/p/moved-in/overview?period=90d&filter=country~eq~JP");
  await world.pages.shown(".legend", /imported days are left out: they take no filters/);
});
