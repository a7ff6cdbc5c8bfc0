import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import {
  askApi,
  dateDaysAgo,
  logIn,
  openPage,
  settled,
  tileOf,
} from "../support/browser/dashboard-use";
import { hostileText, openOn } from "../support/browser/person-pages";
import { login } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import {
  type DashboardWorld,
  openDashboardWorld,
  setClock,
} from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

const open = (path: string) => openPage(world, path);
const tile = (name: string) => tileOf(world, name);
const press = (keys: string) => world.pages.page.keyboard.press(keys);
const params = () => new URL(world.pages.page.url()).searchParams;

const api = <T>(path: string, body?: object) => askApi<T>(world, path, body);
interface Compared {
  readonly rows: readonly { readonly previous: Readonly<Record<string, number>> }[];
  readonly compared_until: string;
}
interface Rows {
  readonly rows: readonly Readonly<Record<string, number>>[];
}
const dateAt = (days: number) => dateDaysAgo(world, days);

describe("the overview", () => {
  test("says what the API says", async () => {
    await open("overview?period=yesterday");
    const { rows } = await api<Rows>("/query", {
      ...{ project: world.shop, count_mode: "raw", date_from: dateAt(1), date_to: dateAt(1) },
      metrics: ["unique_users", "session_count", "event_count"],
    });
    expect(rows[0]?.unique_users).toBeGreaterThan(5);
    await eventually(async () => {
      expect(await tile("Visitors")).toBe(String(rows[0]?.unique_users));
      expect(await tile("Sessions")).toBe(String(rows[0]?.session_count));
      expect(await tile("Events")).toBe(String(rows[0]?.event_count));
    });
  });

  test("compares an unfinished window with the same part of the one before", async () => {
    await open("overview?period=7d");
    const question = { project: world.shop, metrics: ["event_count"], count_mode: "raw" };
    const before = { date_from: dateAt(13), date_to: dateAt(7) };
    const value = new Date(world.nowMs - 7 * 86_400_000).toISOString();
    const { rows } = await api<Rows>("/query", {
      ...{ ...question, ...before, filters: [{ field: "timestamp", op: "lt", value }] },
    });
    const compared = await api<Compared>("/query", {
      ...{ ...question, date_from: dateAt(6), date_to: dateAt(0), compare: before },
    });
    expect(compared.rows[0]?.previous).toEqual({ event_count: rows[0]?.event_count ?? 0 });
    const { page } = world.pages;
    const until = compared.compared_until.slice(11, 15);
    await eventually(async () => {
      const said = await page.locator(".tile", { hasText: "Events" }).innerText();
      expect(said).toContain(`from ${rows[0]?.event_count}`);
      expect(await page.locator(".legend").first().innerText()).toContain(
        `totals compared up to ${until}`,
      );
      expect(await page.locator(".line-chart path.open").count()).toBeGreaterThan(0);
    });
  });

  test("is narrowed by a click on a row, and widened by going back", async () => {
    const { page } = world.pages;
    await open("overview?period=7d");
    await press("m");
    await page.waitForURL(({ searchParams }) => !searchParams.has("period"));
    await settled(world);
    const all = await tile("Events");
    await page.locator(".bars", { hasText: "Country" }).locator("button.name").first().click();
    await page.waitForURL(({ searchParams }) => searchParams.get("filter") === "country~eq~DE");
    await eventually(async () => {
      expect(await page.locator(".chip").count()).toBe(1);
      expect(await tile("Events")).not.toBe(all);
    });
    await page.goBack();
    await eventually(async () => {
      expect(await page.locator(".chip").count()).toBe(0);
      expect(await tile("Events")).toBe(all);
    });
  });

  test("is read by arrow keys, without changing the period", async () => {
    const { page } = world.pages;
    await open("overview");
    await page.locator(".line-chart svg[role=img]").focus();
    await press("ArrowLeft");
    await eventually(async () => expect(await page.locator(".tip").innerText()).not.toBe(""));
    expect(params().has("period")).toBe(false);
  });

  test("marks in the chart what the pointer is at, on the line and above its day", async () => {
    const { page } = world.pages;
    await open("overview?period=yesterday");
    const chart = page.locator(".line-chart svg[role=img]");
    const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {};
    const middleOf = async (one: Locator) => {
      const box = await one.boundingBox();
      return box === null ? null : [box.x + box.width / 2, box.y + box.height / 2];
    };
    await eventually(async () => {
      await chart.hover({ position: { x: width - 12, y: height / 2 } });
      const marked = await middleOf(page.locator(".cross circle.main"));
      const drawn = page.locator(".line-chart .line.main path:not(.area):not(.lonely)").last();
      const line = await drawn.boundingBox();
      const [x, y] = marked ?? [0, 0];
      expect(Math.abs(x - (line?.x ?? 0) - (line?.width ?? 0))).toBeLessThan(2);
      expect(y).toBeGreaterThan((line?.y ?? 0) - 2);
      expect(y).toBeLessThan((line?.y ?? 0) + (line?.height ?? 0) + 2);
    });
  });

  test("shows what a visitor sent as text alone", async () => {
    await open("events");
    await world.pages.shown(".stream bdi", /<img src=x/);
    await eventually(async () => expect(await world.pages.page.title()).toBe("Events · my-shop"));
    expect(await world.pages.page.locator("main img").count()).toBe(0);
    expect(hostileText).toContain("taken over");
  });
});

describe("by keyboard", () => {
  test("pages are reached, and a funnel is built and shared", async () => {
    const { page } = world.pages;
    await open("overview");
    await press("g");
    await press("f");
    const steps = () => page.locator(".funnel li").count();
    await eventually(async () => expect(await steps()).toBe(3));
    await page.locator(".funnel-builder .add-step select").selectOption({ index: 1 });
    await page.waitForURL(({ searchParams }) => searchParams.getAll("step").length === 4);
    await page.goto(page.url());
    await eventually(async () => expect(await steps()).toBe(4));
    await press("a");
    await page.locator(".drawer summary", { hasText: "The funnel" }).click();
    await eventually(async () =>
      expect(await page.locator(".drawer details[open] pre").innerText()).toContain("/funnel"),
    );
    await press("a");
  });

  test("the palette finds a page", async () => {
    await open("overview");
    await press("Control+k");
    await world.pages.page.locator(".palette[open] input:focus").waitFor();
    await world.pages.page.keyboard.type("retention");
    await press("Enter");
    await world.pages.page.waitForSelector(".cohorts");
    await world.pages.page.waitForURL("**/retention*");
  });
});

describe("what is shown", () => {
  test("can be taken along as CSV", async () => {
    const { page } = world.pages;
    await open("overview");
    const download = page.waitForEvent("download");
    await page
      .locator(".card", { hasText: "Countries" })
      .getByRole("button", { name: "CSV" })
      .click();
    const text = await new Response(Bun.file(await (await download).path()).stream()).text();
    expect(text.split("\r\n")[0]).toBe("Country,Visitors,Before,Share");
    expect(text).toMatch(/Germany,\d+,\d+,\d+%/);
  });

  test("is found at the same address by another browser, after its log-in", async () => {
    const { page } = world.pages;
    await open("explore?by=country&metrics=unique_users&period=7d");
    const [first = ""] = await page.locator("main tbody tr").allInnerTexts();
    const shared = page.url();
    await world.pages.openAnother();
    await setClock(world.pages, world.nowMs);
    await openOn(world.pages.page, shared);
    await world.pages.page.waitForURL("**/login?next=*");
    await world.pages.logIn(login);
    await world.pages.page.waitForURL(shared);
    await settled(world);
    await eventually(async () =>
      expect(await world.pages.page.locator("main tbody tr").first().innerText()).toBe(first),
    );
  });

  test("stays with the project that was chosen", async () => {
    const { page } = world.pages;
    await open("overview");
    await page.click("#project-menu");
    await page.click(".project-menu .panel a:has-text('a-blog')");
    await settled(world);
    await world.pages.goto("/app/live");
    await page.waitForURL("**/app/p/a-blog/live");
    await world.pages.goto("/app");
    await page.waitForURL("**/app/p/a-blog/overview");
  });
});

describe("people, one after the other", () => {
  test("a session is shown as a timeline", async () => {
    const { page } = world.pages;
    await open("sessions");
    await page.locator(".session-row").nth(2).click();
    await page.waitForSelector(".timeline li");
    await page.waitForURL(({ searchParams }) => searchParams.has("session"));
  });

  test("a person's journey is what the API tells", async () => {
    const { page } = world.pages;
    await open("people");
    const { rows } = await api<{ rows: { user_id: string }[] }>("/query", {
      ...{ project: world.shop, group_by: ["user_id"], limit: 1 },
      filters: [{ field: "user_id", op: "prefix", value: "u" }],
    });
    const person = rows[0]?.user_id ?? "";
    await page.fill("#person-search", person);
    await press("Enter");
    await page.waitForURL(`**/people/${person}*`);
    await settled(world);
    const query = `project=${world.shop}&user_id=${person}&since=${dateAt(29)}&until=${dateAt(0)}&limit=500`;
    const { events } = await api<{ events: readonly object[] }>(`/journey?${query}`);
    expect(events.length).toBeGreaterThan(0);
    await page.getByLabel("Show $ events").check();
    await eventually(async () =>
      expect(await page.locator(".journey li").count()).toBe(events.length),
    );
    await page.fill("#person-search", "nobody@example.com");
    await press("Enter");
    await world.pages.shown("[role=alert]", /./);
    expect(page.url()).not.toContain("nobody");
  });
});

describe("the settings of a project", () => {
  test("allow an origin that was refused", async () => {
    const { page, server } = world.pages;
    const projects = await api<{ projects: { name: string; project_token: string }[] }>(
      "/projects",
    );
    const token = projects.projects.find(({ name }) => name === world.quiet)?.project_token;
    const headers = { Origin: "https://new.example.org", "User-Agent": "my-shop/1.0" };
    const body = { token, event: "page_view" };
    expect((await ask(server.url, "POST", "/track", headers, body)).status).toBe(403);
    await world.pages.goto(`/app/p/${world.quiet}/project`);
    await world.pages.shown("#snippet", new RegExp(`data-token="${token}"`));
    await page.getByRole("button", { name: "Allow this origin" }).click();
    await world.pages.gone("main tr", /new\.example\.org/);
    expect((await ask(server.url, "POST", "/track", headers, body)).status).toBe(202);
  });

  test("keep the context and its annotations", async () => {
    const { page } = world.pages;
    await open("project/meaning");
    await page.getByLabel("Purpose").fill("More sign-ups\nFewer questions");
    await page.getByRole("button", { name: "Save context" }).click();
    await world.pages.shown("[role=status]", /Saved/);
    await page.getByLabel("What changed").fill("New front page");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await world.pages.shown(".annotations li", /New front page/);
    const { project_context } = await api<{
      project_context: { goals: string[]; annotations: { title: string }[] };
    }>(`/project-context?project=${world.shop}`);
    expect(project_context.goals).toEqual(["More sign-ups", "Fewer questions"]);
    expect(project_context.annotations.map(({ title }) => title)).toContain("New front page");
  });

  test("delete it, once its name was typed", async () => {
    const { page } = world.pages;
    await world.pages.goto(`/app/p/${world.quiet}/project/danger`);
    const remove = page.getByRole("button", { name: "Delete project" });
    await page.getByLabel(/Type its name/).fill("another");
    await eventually(async () => expect(await remove.isDisabled()).toBe(true));
    await page.getByLabel(/Type its name/).fill(world.quiet);
    await remove.click();
    await page.waitForURL(({ pathname }) => !pathname.includes(world.quiet));
    const { projects } = await api<{ projects: { name: string }[] }>("/projects");
    expect(projects.map(({ name }) => name)).not.toContain(world.quiet);
  });
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
