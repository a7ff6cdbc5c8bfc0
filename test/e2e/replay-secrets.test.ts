import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { useCollector } from "../support/browser/collector-suite";
import {
  eventsOf,
  hasSnapshot,
  passed,
  type ReplayCollector,
  until,
} from "../support/browser/replay-collector";
import { eventually } from "../support/suite/eventually";

let collector: ReplayCollector;
useCollector((opened) => {
  collector = opened;
});

const sent = (): string => collector.segments.map(({ text }) => text).join("\n");
const leaked = (): string[] => [...new Set(sent().match(/SECRET-[A-Z-]*/g) ?? [])];

/** Uses a page as somebody would, and looks what has been sent when they have left. */
async function use(path: string, act: (page: Page) => Promise<unknown>): Promise<void> {
  const { page, problems } = await collector.visit(path);
  await until(() => hasSnapshot(collector));
  await act(page);
  await passed(page, 600);
  await page.goto(`${collector.origin}/away`);
  // Long enough for what may not have been sent to come.
  await Bun.sleep(500);
  expect(hasSnapshot(collector)).toBe(true);
  // With a policy that allows nothing inline, nothing is reported either.
  expect(problems).toEqual([]);
}

describe("of what is secret nothing leaves the browser", () => {
  test("of a shop: fields, masked, blocked, editable elements, addresses, frames, shadow trees", async () => {
    await use("/shop", async (page) => {
      await page.locator("[name=name]").pressSequentially("SECRET-TYPED");
      await page.locator("[name=password]").pressSequentially("SECRET-WORD");
      await page.locator("[name=note]").pressSequentially("SECRET-NOTE");
      await page.locator("#rich").pressSequentially("SECRET-RICH");
      await page.locator("[name=diet]").check();
      await page.locator("[name=news]").check();
      await page.locator("[name=country]").selectOption("2");
      await page.locator(".add").first().click();
    });
    expect(leaked()).toEqual([]);
    // What is not secret is there, so the recording is one.
    await eventually(() => expect(sent()).toContain("Chair 0"));
    await eventually(() =>
      expect(sent()).toContain(`"data-aa-href":"${collector.origin}/account"`),
    );
  });

  test("of a single-page site: addresses of routes and links", async () => {
    await use("/docs", (page) => page.click("nav a:nth-child(2)"));
    expect(leaked()).toEqual([]);
    await eventually(() => expect(sent()).toContain("Paragraph 39"));
  });

  test("of an application: fields that come later, and an editor that is a document", async () => {
    await use("/app", (page) => passed(page, 1_500));
    expect(leaked()).toEqual([]);
    await eventually(() => expect(sent()).toContain("Order 199"));
  });

  test("nor what attributes repeat of a field, or of what is masked, in a snapshot or later", async () => {
    const repeats = `(() => {
      const add = (tag, names, to) => {
        const added = to.appendChild(document.createElement(tag));
        const write = (turn) => {
          for (const name of names.split(" ")) {
            const words = ["SECRET", turn, tag, name].join("-");
            added.setAttribute(name, words.toUpperCase());
          }
        };
        write("ADDED");
        setTimeout(() => write("CHANGED"), 300);
      };
      add("input", "value aria-valuenow aria-valuetext", document.body);
      add("x-field", "value aria-valuenow aria-valuetext", document.body);
      const masked = document.body.appendChild(document.createElement("div"));
      masked.setAttribute("data-aa-replay-mask", "");
      add("p", "title aria-label aria-valuenow aria-valuetext aria-roledescription", masked);
      for (const tag of ["button", "data", "meter", "option"]) add(tag, "value", masked);
      add("time", "datetime content", masked);
    })()`;
    await use("/shop", async (page) => {
      await page.evaluate(repeats);
      await passed(page, 600);
      await page.evaluate("window.aaReplay.stop(); window.aaReplay.start()");
      await until(() => eventsOf(collector).filter(({ type }) => type === 2).length === 2);
    });
    await eventually(() =>
      expect(eventsOf(collector).filter(({ type }) => type === 2).length).toBe(2),
    );
    await eventually(() => expect(sent()).toContain('"tagName":"x-field"'));
    expect(leaked()).toEqual([]);
  });

  test("nor where styles load from, and what is for machines alone, in a snapshot or later", async () => {
    const write = (turn: string): string => `(() => {
      const secret = (name) => "/p?k=SECRET-${turn}-" + name;
      const load = (name) => "background-image: url(" + secret(name) + ")";
      const add = (tag, to = document.body) => to.appendChild(document.createElement(tag));
      add("p").setAttribute("style", load("ATTRIBUTE"));
      add("style").textContent =
        "@import '" + secret("IMPORT") + "'; p { background: URL( \\"" + secret("QUOTED") + "\\" ) }";
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("p { " + load("ADOPTED") + " }");
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
      const rules = add("style");
      rules.textContent = "p { color: red }";
      const later = add("p");
      setTimeout(() => {
        later.style.backgroundImage = "url(" + secret("CHANGED") + ")";
        rules.sheet.insertRule("b { " + load("INSERTED") + " }");
        rules.sheet.cssRules[1].style.setProperty("background-image", "url(" + secret("SET") + ")");
        sheet.insertRule("i { " + load("ADOPTED-LATER") + " }");
      }, 300);
      const meta = add("meta", document.head);
      meta.name = "csrf-token";
      meta.content = "SECRET-${turn}-META";
      const link = add("a");
      link.download = "SECRET-${turn}-FILE";
      link.setAttribute("itemid", secret("ITEM"));
      add("p").setAttribute("style", "background: url(data:image/gif;base64,R0lGODlhAQABAAAAACw=)");
    })()`;
    await use("/styled", async (page) => {
      await page.evaluate(write("FIRST"));
      await passed(page, 600);
      await page.evaluate("window.aaReplay.stop(); window.aaReplay.start()");
      await until(() => eventsOf(collector).filter(({ type }) => type === 2).length === 2);
      await page.evaluate(write("LATER"));
      await passed(page, 600);
    });
    await eventually(() =>
      expect(eventsOf(collector).filter(({ type }) => type === 2).length).toBe(2),
    );
    // Styles are recorded, and what they have in themselves.
    await eventually(() => expect(sent()).toContain("data:image/gif;base64,R0lGODlhAQABAAAAACw="));
    await eventually(() => expect(sent()).toMatch(/"rule":"i \{/));
    expect(leaked()).toEqual([]);
  });

  test("nor whether a box is ticked, which radio or option is chosen, in a snapshot or later", async () => {
    await use("/shop", async (page) => {
      await page.locator("[name=diet]").check();
      await page.locator("[name=news]").check();
      await page.locator("[name=country]").selectOption("2");
      await page.evaluate(
        `document.querySelector("[name=news]").setAttribute("aria-checked", "true")`,
      );
      // A second snapshot, now that they are chosen.
      await page.evaluate("window.aaReplay.stop(); window.aaReplay.start()");
      await until(() => eventsOf(collector).filter(({ type }) => type === 2).length === 2);
    });
    await eventually(() =>
      expect(eventsOf(collector).filter(({ type }) => type === 2).length).toBe(2),
    );
    expect(sent()).not.toMatch(/"(?:checked|selected|aria-checked)":/);
    expect(sent()).not.toContain('"isChecked":true');
    await eventually(() => expect(sent()).toContain('"isChecked":false'));
  });
});

test("data attributes are kept, as the documents say", async () => {
  await use("/docs", (page) => page.evaluate(`document.body.setAttribute("data-plan", "kept")`));
  await eventually(() => expect(sent()).toContain('"data-plan":"kept"'));
});
