import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isSelector } from "../../src/domain/replay/selector";
import { wordsOf } from "../../src/replay/cleaning/values";
import { goodSelectors } from "../support/app/selectors";
import { useCollector } from "../support/browser/collector-suite";
import { hasSnapshot, type ReplayCollector, until } from "../support/browser/replay-collector";
import { eventually } from "../support/suite/eventually";

/** What a project asks to hide is hidden, whatever a browser makes of the selector. */
let collector: ReplayCollector;
useCollector((opened) => {
  collector = opened;
});

/** Returns the selectors that Chromium takes, each in a list with another, as a recorder uses them. */
async function taken(selectors: readonly string[]): Promise<string[]> {
  // A page without a recorder: what one sends as it is closed may arrive while the next test looks at what is sent.
  const page = await collector.browser.newPage();
  return page.evaluate(`${JSON.stringify(selectors)}.filter((text) => {
    try {
      return document.createElement("aa-probe").matches(text + ",aa-probe");
    } catch {
      return false;
    }
  })`);
}

describe("a selector that the API takes", () => {
  test("is one that Chromium takes", async () => {
    expect(await taken(goodSelectors)).toEqual(goodSelectors);
  });

  test("whatever it is put together from", async () => {
    const piece = fc.constantFrom(
      ...wordsOf(`
        p * .a #b [c] [c= d "e" 'f' ] i : :: :not( :is( :has( :nth-child( 2n+1 of odd ) > + ~ ,
        \\31 \\ - -- _ ä :hover :lang( :dir(ltr) | & /* */ 1 !
      `),
      ...[" ", "  ", "\t", "\n", "\u00a0"],
    );
    const sample = fc
      .sample(fc.array(piece, { minLength: 1, maxLength: 6 }), 50_000)
      .map((pieces) => pieces.join(""))
      .filter(isSelector);
    const distinct = [...new Set(sample)];
    expect(distinct.length).toBeGreaterThan(500);
    const known = new Set(await taken(distinct));
    expect(distinct.filter((one) => !known.has(one))).toEqual([]);
  });
});

const page = async (config: Readonly<Record<string, unknown>>) => {
  collector.config = config;
  const warnings: string[] = [];
  const { page, problems } = await collector.visit("/shop", {
    before: async (context) => {
      context.on("console", (message) => {
        if (message.type() === "warning") warnings.push(message.text());
      });
    },
  });
  await until(() => hasSnapshot(collector));
  await page.evaluate(`document.querySelector("main, body").append("Added later")`);
  await page.waitForTimeout(300);
  await page.goto(`${collector.origin}/away`);
  await Bun.sleep(300);
  expect(problems).toEqual([]);
  expect(hasSnapshot(collector)).toBe(true);
  return { sent: () => collector.segments.map(({ text }) => text).join("\n"), warnings };
};

describe("a selector that this browser does not know", () => {
  for (const wrong of ["((broken", "[name=a", ":new-thing"]) {
    test(`masks every text: ${wrong}`, async () => {
      const { sent, warnings } = await page({
        mask_selectors: [wrong, ".balance"],
        block_selectors: [],
      });
      expect(sent().includes("Chair 0")).toBe(false);
      expect(sent().includes("Added later")).toBe(false);
      await eventually(() => expect(sent().includes('"tagName":"h3"')).toBe(true));
      await eventually(() => expect(warnings.join()).toContain(`"${wrong}"`));
    });

    test(`blocks the whole page: ${wrong}`, async () => {
      const { sent, warnings } = await page({
        mask_selectors: [],
        block_selectors: [".ad", wrong],
      });
      expect(sent().includes("Chair 0")).toBe(false);
      expect(sent().includes("Added later")).toBe(false);
      expect(sent().includes('"tagName":"h3"')).toBe(false);
      await eventually(() => expect(warnings.join()).toContain(`"${wrong}"`));
    });
  }

  test("those that it knows hide what they name, and say nothing", async () => {
    const { sent, warnings } = await page({
      mask_selectors: [".card h3", "img"],
      block_selectors: [],
    });
    expect(sent().includes("Chair 0")).toBe(false);
    await eventually(() => expect(sent().includes("Added later")).toBe(true));
    expect(warnings).toEqual([]);
  });
});
