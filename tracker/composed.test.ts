import { describe, expect, test } from "bun:test";
import { openPage, type PageOptions, type TrackerPage } from "../test/support/browser/tracker-page";

const attributes: PageOptions["attributes"] = {
  "data-track-clicks": "true",
  "data-track-outgoing": "true",
  "data-track-downloads": "true",
  "data-link-domains": "partner.example.org",
};
const open = (html: string): TrackerPage => openPage({ html, attributes });

/** Clicks as a browser does: the event leaves shadow roots, and brings its button. */
function press(page: TrackerPage, element: unknown, type = "click", button = 0, clientX = 0): void {
  const event = new page.window.MouseEvent(type, {
    bubbles: true,
    cancelable: true,
    composed: true,
    button,
    clientX,
  });
  (element as EventTarget).dispatchEvent(event as unknown as Event);
}
const own = async (page: TrackerPage): Promise<unknown[]> =>
  (await page.events())
    .filter(({ event }) => event !== "page_view")
    .map(({ event, properties: { href, is_external, tag } }) => [event, tag, href, is_external]);

describe("a click inside an open shadow root", () => {
  test("is that of its elements, and of those around the root", async () => {
    const page = open(
      `<div id="host" data-aa-event-x="y"></div><p data-aa-event="around"><i id="in"></i></p>`,
    );
    for (const id of ["host", "in"]) {
      const root = page.document.querySelector(`#${id}`)?.attachShadow({ mode: "open" });
      if (!root) throw new Error("no shadow root");
      root.innerHTML = `<a href="https://other.example.org/a.pdf"><b>x</b></a>
        <button data-aa-event="inner">x</button>`;
      press(page, root.querySelector("b"));
      press(page, root.querySelector("button"));
    }
    const href = "https://other.example.org/a.pdf";
    expect(await own(page)).toEqual([
      ["outgoing_link", undefined, href, undefined],
      ["$download", undefined, href, undefined],
      ["$click", "a", href, true],
      ["inner", undefined, undefined, undefined],
      ["around", undefined, undefined, undefined],
      ["inner", undefined, undefined, undefined],
    ]);
    expect(page.thrown).toEqual([]);
  });
});

describe("links that are no ordinary ones", () => {
  const partner = "http://partner.example.org/shop?x=1";
  test("an area of a map", async () => {
    const page = open(`<map><area id="x" href="${partner}"></map>`);
    const { anonymousId } = page.api.getIdentity();
    press(page, page.document.querySelector("#x"));
    const href = "http://partner.example.org/shop";
    expect(await own(page)).toEqual([
      ["outgoing_link", undefined, href, undefined],
      ["$click", "area", href, true],
    ]);
    expect(page.document.querySelector("#x")?.getAttribute("href")).toBe(
      `${partner}&_aa=${anonymousId}`,
    );
  });

  test("one in a drawing, whose address is an object", async () => {
    const page = open(`<svg><a id="x"><text id="t">x</text></a></svg>`);
    const { anonymousId } = page.api.getIdentity();
    const link = page.document.querySelector("#x") as unknown as { href: unknown };
    const address = { baseVal: partner, animVal: partner };
    Object.defineProperty(link, "href", { configurable: true, get: () => address });
    press(page, page.document.querySelector("#t"));
    expect(await own(page)).toEqual([
      ["outgoing_link", undefined, "http://partner.example.org/shop", undefined],
      ["$click", "a", "http://partner.example.org/shop", true],
    ]);
    expect(address.baseVal).toBe(`${partner}&_aa=${anonymousId}`);
    address.baseVal = "/inside";
    press(page, page.document.querySelector("#t"));
    expect((await own(page)).at(-1)).toEqual([
      "$click",
      "a",
      "https://shop.example.com/inside",
      false,
    ]);
    address.baseVal = "";
    press(page, page.document.querySelector("#t"));
    expect((await own(page)).at(-1)).toEqual(["$click", "a", "", false]);
  });
});

describe("buttons of the mouse", () => {
  test("the middle one counts and decorates, the others do not", async () => {
    const page = open(
      `<a id="x" href="http://partner.example.org/">x</a><b data-aa-event="m">x</b>`,
    );
    const link = page.document.querySelector("#x");
    for (const button of [2, 3, 4]) press(page, link, "auxclick", button);
    expect(link?.getAttribute("href")).toBe("http://partner.example.org/");
    press(page, link, "auxclick", 1);
    press(page, page.document.querySelector("b"), "auxclick", 1);
    expect((await own(page)).map((event) => (event as unknown[])[0])).toEqual([
      "outgoing_link",
      "$click",
      "m",
    ]);
    expect(link?.getAttribute("href")).toContain("_aa=anon_");
  });
});

describe("a label passes its click on to its control", () => {
  /** The test DOM clicks the control too, as browsers do: after the handlers of the label, in the same task. */
  const pressLabel = async (page: TrackerPage): Promise<void> => {
    let clicks = 0;
    page.window.addEventListener("click", () => {
      clicks += 1;
    });
    press(page, page.document.querySelector("label"));
    expect(clicks).toBe(2);
    await page.wait(0);
  };
  for (const [where, html] of [
    ["on the label", `<label data-aa-event="e"><input type="checkbox">x</label>`],
    ["around both", `<p data-aa-event="e"><label for="c">x</label><input id="c" type="radio"></p>`],
    ["on the control", `<label>x<input type="checkbox" data-aa-event="e"></label>`],
    ["on the control elsewhere", `<label for="c">x</label><input id="c" data-aa-event="e">`],
  ] as const) {
    test(`and the event ${where} counts once`, async () => {
      const page = open(html);
      await pressLabel(page);
      expect(await page.named("e")).toHaveLength(1);
      await pressLabel(page);
      expect(await page.named("e")).toHaveLength(2);
    });
  }

  test("a click on the control itself counts, also after one on the label that went no further", async () => {
    const page = open(`<label data-aa-event="e"><input type="checkbox">x</label>`);
    const stop = (event: { preventDefault(): void }): void => event.preventDefault();
    page.document.querySelector("label")?.addEventListener("click", stop);
    press(page, page.document.querySelector("label"));
    for (const _ of [1, 2]) press(page, page.document.querySelector("input"), "click", 0, 9);
    expect(await page.named("e")).toHaveLength(3);
  });
});
