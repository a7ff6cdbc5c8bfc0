import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { violationsOf } from "../support/browser/accessibility";
import { askApi, dateDaysAgo, logIn, openPage, settled } from "../support/browser/dashboard-use";
import { gateFor } from "../support/browser/intercepted";
import { sound, structureOf } from "../support/browser/page-structure";
import { hostileText } from "../support/browser/person-pages";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

test("a report and an alert are made, previewed, changed and deleted, also where mail is off", async () => {
  const { page } = world.pages;
  await openPage(world, "project/sharing");
  await page.click("#new-report summary");
  await world.pages.shown("#new-report", /This server sends no mail yet/);
  await page.locator("#new-report").getByLabel("(you)").check();
  await page.getByRole("button", { name: "Create report" }).click();
  await world.pages.shown("#reports li", /Each Monday at 8:00.*none was sent yet/s);
  await page.getByRole("button", { name: "Preview" }).click();
  await world.pages.shown("#reports pre", /^What changed\n/);
  await page.click("#new-alert summary");
  await page.fill("#alert-name", hostileText);
  await page.locator("#new-alert").getByLabel("(you)").check();
  await page.getByRole("button", { name: "Create alert" }).click();
  await world.pages.shown("#alerts li", /taken over.*Learning: it needs 28 days/s);
  expect(await violationsOf(page)).toEqual([]);
  await page.locator("#reports").getByRole("button", { name: "Change" }).click();
  await page.locator("#reports select").selectOption("month");
  await page.locator("#reports input[type=number]").fill("9");
  await page.locator("#reports").getByRole("button", { name: "Save" }).click();
  await world.pages.shown("#reports li", /Each month at 9:00/);
  await page.locator("#alerts").getByRole("button", { name: "Change" }).click();
  expect(await violationsOf(page)).toEqual([]);
  await page.locator("#alerts").getByLabel("Sensitivity").selectOption("quiet");
  await page.locator("#alerts").getByLabel("Name").fill("Renamed");
  await page.locator("#alerts").getByRole("button", { name: "Save" }).click();
  await world.pages.shown("#alerts li", /^Renamed/);
  const { alerts } = await askApi<{ alerts: readonly object[] }>(
    world,
    `/alerts?project=${world.shop}`,
  );
  expect(alerts).toMatchObject([{ name: "Renamed", sensitivity: "quiet", kind: "change" }]);
  for (const list of ["#reports", "#alerts"]) {
    await page.locator(`${list} .danger`).click();
    await world.pages.confirm();
    await world.pages.gone(`${list} li`, /./);
  }
});

describe("a note about a day", () => {
  interface Told {
    readonly project_context: {
      readonly annotations: readonly { readonly occurred_at: string; readonly title: string }[];
    };
  }
  const noted = async (title: string): Promise<string | undefined> => {
    const told = await askApi<Told>(world, `/project-context?project=${world.shop}`);
    return told.project_context.annotations.find((one) => one.title === title)?.occurred_at;
  };

  test("is written by a double click on it, at its beginning in the project's zone", async () => {
    const { page } = world.pages;
    await openPage(world, "overview?period=7d");
    const chart = page.locator(".line-chart svg[role=img]");
    const { width = 0 } = (await chart.boundingBox()) ?? {};
    // The last day stands at the right edge, the first one at the left. What comes above may still move the chart down.
    await chart.dblclick({ position: { x: width - 12, y: 100 } });
    await page.waitForSelector("#note-form");
    await page.fill("#note-title", hostileText);
    await page.fill("#note-text", "With more about it");
    await page.click("#note-form .primary");
    await settled(world);
    await eventually(async () =>
      expect(await noted(hostileText)).toBe(`${dateDaysAgo(world, 0)}T00:00:00.000Z`),
    );
    await world.pages.shown(".line-chart .note text", /<img src=x/);
    expect(new URL(page.url()).searchParams.get("period")).toBe("7d");
  });

  test("is written by keyboard, and left by Escape", async () => {
    const { page } = world.pages;
    await openPage(world, "overview?period=7d");
    const chart = page.locator(".line-chart svg[role=img]");
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#note-form");
    await page.keyboard.press("Escape");
    await world.pages.gone("#note-form", /./);
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator("#note-title:focus").waitFor();
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Enter");
    await world.pages.gone("#note-form", /./);
    await eventually(async () =>
      expect(await noted("By keyboard")).toBe(`${dateDaysAgo(world, 6)}T00:00:00.000Z`),
    );
  });
});

describe("moving in and out", () => {
  const sources = async () =>
    (await askApi<{ sources: { url: string }[] }>(world, `/projects/${world.shop}/sources`))
      .sources;

  test("an address for another product is created, shown in its lines, and deleted", async () => {
    const { page } = world.pages;
    await openPage(world, "move");
    await page.selectOption("#source-kind", "umami");
    await page.click("#source-make");
    await world.pages.shown("#sources", /Umami.*Before.*After/s);
    const [{ url } = { url: "" }] = await sources();
    expect(await page.locator("#sources mark").allInnerTexts()).toEqual([
      ...[
        '  src="https://cloud.umami.is/script.js"></script>',
        `  src="${url}/script.js"></script>`,
      ],
    ]);
    await page.getByRole("button", { name: "Delete the address for Umami" }).click();
    await page.click("#question-yes");
    await eventually(async () => expect(await sources()).toEqual([]));
    await world.pages.gone("#sources", /Umami/);
  });

  test("a file is uploaded, its report read, stored, and removed again", async () => {
    const { page } = world.pages;
    const imports = async () =>
      (await askApi<{ imports: { state: string }[] }>(world, `/imports?project=${world.quiet}`))
        .imports;
    const timestamp = world.nowMs - 40 * 86_400_000;
    const rows = [{ event: "page_view", user_id: "ann", timestamp }, { event: "" }];
    const buffer = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    await world.pages.goto(`/app/p/${world.quiet}/move`);
    await settled(world);
    await page.setInputFiles("#import-file", { name: "old.jsonl", mimeType: "", buffer });
    await page.click("#import-start");
    await world.pages.shown("#import-report", /Stored\s*1\s*Refused\s*1/);
    await eventually(async () =>
      expect(await page.evaluate("document.activeElement.id")).toBe("current-import"),
    );
    await world.pages.shown("[role=status]", /Nothing is stored yet/);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await eventually(async () => {
        expect([width, await structureOf(page)]).toEqual([width, sound]);
        expect([width, await violationsOf(page)]).toEqual([width, []]);
      });
    }
    await page.click("#import-commit");
    await world.pages.shown("[role=status]", /Done: 1 row stored/);
    expect(await imports()).toMatchObject([{ state: "done" }]);
    await page.locator("#imports").getByRole("button", { name: "Remove old.jsonl" }).click();
    await page.click("#question-yes");
    await eventually(async () => expect(await imports()).toEqual([]));
    await world.pages.gone("#imports", /old/);
  });

  test("a file that is no export is refused in words", async () => {
    const { page } = world.pages;
    await world.pages.goto(`/app/p/${world.quiet}/move`);
    await settled(world);
    const buffer = Buffer.from("PK no zip");
    await page.setInputFiles("#import-file", { name: "no.zip", mimeType: "", buffer });
    await page.click("#import-start");
    await world.pages.shown(".alert", /It failed: /);
  });

  test("everything of a project is a file, and a refusal is shown in words", async () => {
    const { page } = world.pages;
    await openPage(world, "move");
    const begun = page.waitForEvent("download");
    await page.click("#export");
    const download = await begun;
    expect(download.suggestedFilename()).toMatch(/^my-shop-all-.*\.jsonl\.gz$/);
    const file = gunzipSync(readFileSync(await download.path())).toString();
    expect(JSON.parse(file.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ kind: "end" });
    await page.selectOption("#export-kind", "events");
    await page.selectOption("#export-format", "parquet");
    await page.fill("#export-since", "2026-01-02");
    await page.fill("#export-until", "2026-01-01");
    await page.click("#export");
    await world.pages.shown("[role=alert]", /until/);
  });
});

describe("an experiment", () => {
  interface Told {
    readonly experiments: readonly {
      readonly name: string;
      readonly status: string;
      readonly winner: string | null;
      readonly goal_event: string;
      readonly variants: readonly { readonly key: string; readonly weight: number }[];
    }[];
  }
  const told = async (name: string) =>
    (await askApi<Told>(world, `/experiments?project=${world.shop}`)).experiments.find(
      (one) => one.name === name,
    );

  test("is made, left off the pages, ended with a variant, and told how to be applied", async () => {
    const { page } = world.pages;
    await using lists = await gateFor(page, ({ pathname }) => pathname === "/experiments");
    await openPage(world, "experiments");
    await page.click("#experiment-new");
    await page.fill("#experiment-name", "headline");
    await page.fill("#experiment-variants", "control 40, clear 60");
    await page.fill("#experiment-goal", "signup");
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await eventually(async () =>
        expect([width, await structureOf(page)]).toEqual([width, sound]),
      );
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.click("#experiment-form .primary");
    await world.pages.shown("h2", /^headline$/);
    await settled(world);
    await eventually(async () =>
      expect(await told("headline")).toMatchObject({
        ...{ status: "active", goal_event: "signup" },
        variants: [
          { key: "control", weight: 40 },
          { key: "clear", weight: 60 },
        ],
      }),
    );
    await page.locator(".in-page summary").click();
    await world.pages.shown(".in-page pre", /data-aa-variant-clear="Text of clear"/);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await eventually(async () => expect((await told("headline"))?.status).toBe("paused"));
    // A list that is read again for long keeps nobody from what comes next.
    lists.shut();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await eventually(async () => expect(await structureOf(page)).toEqual(sound));
    await page.getByRole("button", { name: "End with winner “clear”" }).click();
    await world.pages.confirm();
    await world.pages.shown(".finding", /“clear” won.*remove the attributes/);
    lists.open();
    await eventually(async () =>
      expect(await told("headline")).toMatchObject({ status: "completed", winner: "clear" }),
    );
    await eventually(() => expect(new URL(page.url()).searchParams.get("id")).toMatch(/^exp_/));
  });

  test("is refused with the server's words", async () => {
    const { page } = world.pages;
    await openPage(world, "experiments?new=yes");
    await page.fill("#experiment-name", "button-colour");
    await page.fill("#experiment-goal", "signup");
    await page.click("#experiment-form .primary");
    await world.pages.shown("[role=alert]", /button-colour/);
  });
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
