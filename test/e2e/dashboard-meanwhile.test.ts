import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askApi, dateDaysAgo, logIn, tileOf } from "../support/browser/dashboard-use";
import { gateFor, intercept } from "../support/browser/intercepted";
import { focusOn } from "../support/browser/keyboard";
import { painted, sound, structureOf, untilQuiet } from "../support/browser/page-structure";
import { userAgent } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** What happens to a page that nobody planned: names without end, and a world that changes while it is looked at. */
let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld({ hasHostileEvent: false });
  await logIn(world);
});
afterAll(() => world.pages.close());

const alerts = () => world.pages.page.locator("main [role=alert]");

describe("names as long as they may be", () => {
  const long = (letter: string, chars: number) => letter.repeat(chars);
  beforeAll(async () => {
    const { projects } = await askApi<{ projects: { name: string; project_token: string }[] }>(
      world,
      "/projects",
    );
    const token = projects.find(({ name }) => name === "a-blog")?.project_token;
    const ids = { user_id: long("u", 250), session_id: long("s", 250) };
    const properties = {
      path: `/${long("p", 1_500)}`,
      browser: long("b", 500),
      item: long("v", 500),
    };
    for (const name of ["page_view", long("e", 200)]) {
      const event = { token, event: name, ...ids, properties };
      const headers = { "User-Agent": userAgent };
      const sent = await ask(world.pages.server.url, "POST", "/track", headers, event);
      expect(sent.status).toBe(202);
    }
  });

  const pages =
    "overview live explore?by=properties.item paths pages sessions people events project changes bots sites";
  const steps = `funnels?step=page_view&step=${long("e", 200)}`;
  test.each([...pages.split(" "), steps, `people/${long("u", 250)}`, "retention?first=page_view"])(
    "fit on %s",
    async (path) => {
      const { page } = world.pages;
      await page.setViewportSize({ width: 1440, height: 900 });
      await world.pages.goto(`/app/p/a-blog/${path}`);
      await untilQuiet(page);
      expect(await page.locator("main [role=alert]").count()).toBe(0);
      for (const width of [1440, 768, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(painted);
        await eventually(async () =>
          expect([width, await structureOf(page)]).toEqual([width, sound]),
        );
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    },
  );
});

test.each([`people/${"u".repeat(250)}`, `sessions?session=${"s".repeat(250)}`])(
  "what is cut off is whole by Enter on %s, and still nothing but text",
  async (path) => {
    const { page } = world.pages;
    await world.pages.goto(`/app/p/a-blog/${path}`);
    const cut = page.locator(".whole").first();
    await cut.waitFor();
    const shown = async () => [await cut.getAttribute("aria-expanded"), await cut.innerText()];
    await eventually(async () => expect(await shown()).toEqual(["false", `/${"p".repeat(299)}…`]));
    await cut.press("Enter");
    await eventually(async () => expect(await shown()).toEqual(["true", `/${"p".repeat(1_500)}`]));
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(painted);
      await eventually(async () =>
        expect([width, await structureOf(page)]).toEqual([width, sound]),
      );
    }
    await cut.click();
    await eventually(async () => expect((await shown())[0]).toBe("false"));
  },
);

test.each(["pages", "explore?by=properties.item", "overview"])(
  "on %s, where a press on a text means something else, what is cut off is whole by a button after it",
  async (path) => {
    const { page } = world.pages;
    await world.pages.goto(`/app/p/a-blog/${path}`);
    await untilQuiet(page);
    const { href } = new URL(page.url());
    const more = page.locator(".whole").first();
    await eventually(async () => expect(await more.innerText()).toBe("Show full text"));
    await more.press("Enter");
    await eventually(async () =>
      expect(await more.innerText()).toMatch(/^(\/p{1500}|b{500}|v{500})$/),
    );
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(painted);
      await eventually(async () =>
        expect([width, await structureOf(page)]).toEqual([width, sound]),
      );
    }
    expect(page.url()).toBe(href);
    await more.click();
    await eventually(async () => expect(await more.innerText()).toBe("Show full text"));
  },
);

describe("meanwhile", () => {
  test("the project is deleted elsewhere: the page says so once, and has a way on", async () => {
    const { page } = world.pages;
    const made = { name: "gone-soon", allowed_origins: "https://gone.example.com" };
    const { id } = await askApi<{ id: string }>(world, "/projects", made, 201);
    await world.pages.goto("/app/p/gone-soon/overview");
    await untilQuiet(page);
    const headers = { "X-API-Key": world.key };
    const deleted = await ask(world.pages.server.url, "DELETE", `/projects/${id}`, headers);
    expect(deleted.status).toBe(200);
    await page.keyboard.press("q");
    await world.pages.shown("main .state strong", /This project does not exist/);
    await world.pages.gone("main [role=alert]", /./);
    await page.getByRole("link", { name: "Open the overview" }).click();
    await page.waitForURL((url) => !url.pathname.includes("gone-soon"));
  });

  test("somebody wants something else: what was asked for before is given up", async () => {
    const { page } = world.pages;
    const failed: string[] = [];
    page.on("requestfailed", (request) => failed.push(request.postData() ?? ""));
    // What is first fetched of today, as somebody points at it, is not answered at all.
    const held = Promise.withResolvers<string>();
    let isHeld = false;
    const ofToday = `"date_from":"${dateDaysAgo(world, 0)}"`;
    await using _ = await intercept(page, "**/query", async (route) => {
      const body = route.request().postData() ?? "";
      if (isHeld || !body.includes(ofToday)) return route.continue();
      isHeld = true;
      held.resolve(body);
    });
    await world.pages.goto("/app/p/my-shop/overview?period=7d");
    await untilQuiet(page);
    await page.keyboard.press("t");
    await focusOn(page, "#period-menu + .panel [aria-checked=true]");
    for (let choice = 0; choice < 2; choice++) await page.keyboard.press("ArrowUp");
    const inAdvance = await held.promise;
    await page.keyboard.press("Escape");
    const period = `${dateDaysAgo(world, 40)}..${dateDaysAgo(world, 38)}`;
    await page.evaluate(`history.pushState(null, "", "?period=${period}");
      dispatchEvent(new PopStateEvent("popstate"))`);
    await eventually(() => expect(failed).toContain(inAdvance));
    await untilQuiet(page);
    // It is asked for again by who wants it.
    await page.keyboard.press("d");
    await untilQuiet(page);
    expect(await page.locator("main [role=alert]").count()).toBe(0);
    await page.waitForURL(({ searchParams }) => searchParams.get("period") === "today");
  });

  test("the next period is waited for: what is drawn is still the one before, whole", async () => {
    const { page } = world.pages;
    const line = page.locator(".line-chart .line.main path:not(.area)").first();
    const drawn = () => line.getAttribute("d");
    const axis = () => page.locator(".line-chart .tick").allInnerTexts();
    await using gate = await gateFor(page, "**/query");
    // With a filter nothing is fetched in advance.
    await world.pages.goto("/app/p/my-shop/overview?period=7d&filter=event~neq~none");
    await untilQuiet(page);
    // A chart is drawn again as soon as it knows its width.
    const [before, ticks] = await eventually(async () => {
      const seen = [await drawn(), await axis()] as const;
      await page.evaluate(painted);
      expect([await drawn(), await axis()]).toEqual([...seen]);
      return seen;
    });
    gate.shut();
    await page.keyboard.press("q");
    await world.pages.shown("#period-menu", /Last 90 days/);
    await page.evaluate(painted);
    expect([await drawn(), await axis()]).toEqual([before, ticks]);
    gate.open();
    await untilQuiet(page);
    await page.evaluate(painted);
    await eventually(async () => expect(await drawn()).not.toBe(before));
  });

  test("the connection is slow, and who cannot wait gets what was asked for last", async () => {
    const { page } = world.pages;
    let slower = 0;
    await using _ = await intercept(page, "**/query", async (route) => {
      // The first is the last to be answered.
      slower -= 150;
      await Bun.sleep(Math.max(0, slower + 300));
      await route.continue().catch(() => undefined);
    });
    await world.pages.goto("/app/p/my-shop/overview");
    await untilQuiet(page);
    slower = 600;
    const from = dateDaysAgo(world, 200);
    for (const to of [180, 170, 160]) {
      await page.evaluate(`history.pushState(null, "", "?period=${from}..${dateDaysAgo(world, to)}");
        dispatchEvent(new PopStateEvent("popstate"))`);
    }
    await page.keyboard.press("q");
    await untilQuiet(page);
    const { rows } = await askApi<{ rows: { event_count: number }[] }>(world, "/query", {
      ...{ project: "my-shop", metrics: ["event_count"], count_mode: "raw" },
      ...{ date_from: dateDaysAgo(world, 89), date_to: dateDaysAgo(world, 0) },
    });
    await eventually(async () => {
      const shown = await tileOf(world, "Events");
      expect(shown.replace(",", "")).toBe(String(rows[0]?.event_count));
    });
  });

  const lookAtOtherDates = async (): Promise<void> => {
    const period = `${dateDaysAgo(world, 50)}..${dateDaysAgo(world, 41)}`;
    await world.pages.page.evaluate(`history.pushState(null, "", "?period=${period}");
      dispatchEvent(new PopStateEvent("popstate"))`);
  };

  test("the connection is away: the page catches up by itself", async () => {
    const { page } = world.pages;
    await world.pages.goto("/app/p/my-shop/overview");
    await untilQuiet(page);
    try {
      await page.context().setOffline(true);
      await lookAtOtherDates();
      await world.pages.shown("main [role=alert]", /No connection/);
    } finally {
      await page.context().setOffline(false);
    }
    await world.pages.gone("main [role=alert]", /./);
    await untilQuiet(page);
  });

  test("the server is away: one button brings back all that failed", async () => {
    const { page } = world.pages;
    let isAway = false;
    // The page asks /health whether it may catch up by itself: that request fails to the end.
    await using _ = await intercept(page, "**/*", (route) =>
      isAway || route.request().url().endsWith("/health") ? route.abort() : route.continue(),
    );
    await world.pages.goto("/app/p/my-shop/overview");
    await untilQuiet(page);
    isAway = true;
    await lookAtOtherDates();
    await world.pages.shown("main [role=alert]", /No connection/);
    isAway = false;
    await alerts().first().getByRole("button", { name: "Try again" }).click();
    await world.pages.gone("main [role=alert]", /./);
    await untilQuiet(page);
  });
});

test("a page whose script does not come says so, and comes when it is asked for again", async () => {
  const { page } = world.pages;
  let isAway = false;
  await using _ = await intercept(page, "**/app/assets/part-*", (route) =>
    isAway ? route.abort() : route.continue(),
  );
  await world.pages.goto("/app/p/my-shop/overview");
  await untilQuiet(page);
  isAway = true;
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await world.pages.shown("main [role=alert]", /could not be loaded/);
  isAway = false;
  await page.getByRole("button", { name: "Reload" }).click();
  await world.pages.shown(".funnel li", /./);
});

test.each([
  ["sessions?cursor=bad", /"cursor" must be/],
  ["paths?goal_id=gone", /This goal does not exist/],
])("an address that asks for what cannot be, %s, is opened without that", async (path, told) => {
  await world.pages.goto(`/app/p/my-shop/${path}`);
  await world.pages.shown("main [role=alert]", told);
  await world.pages.page.getByRole("link", { name: "Reset this page" }).click();
  await world.pages.gone("main [role=alert]", /./);
  await eventually(() => expect(new URL(world.pages.page.url()).search).toBe(""));
});

test("nothing else failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
