import { describe, expect, test } from "bun:test";
import { cleanEvent } from "./clean";

const element = (tagName: string, attributes: object = {}, childNodes: object[] = []) => ({
  type: 2,
  id: 5,
  tagName,
  attributes,
  childNodes,
});
const text = (textContent: string, more: object = {}) => ({ type: 3, id: 6, textContent, ...more });
const snapshot = (...childNodes: object[]) => ({
  type: 2,
  timestamp: 1,
  data: { node: { type: 0, id: 1, childNodes }, initialOffset: { top: 0, left: 0 } },
});
const change = (data: object) => ({ type: 3, timestamp: 1, data });
const mutation = (data: object) =>
  change({ source: 0, texts: [], attributes: [], removes: [], adds: [], ...data });

const listOf = (event: object, key: string): unknown[] => cleanEvent(event)?.data[key] as unknown[];

/** The nodes that are left of these at the top of a snapshot. */
const cleanNodes = (...nodes: object[]): unknown => {
  const node = cleanEvent(snapshot(...nodes))?.data.node as { childNodes: unknown } | undefined;
  return node?.childNodes;
};
const cleanAttributes = (tag: string, attributes: object): unknown =>
  (cleanNodes(element(tag, attributes)) as { attributes: unknown }[])[0]?.attributes;
const cleanChange = (data: object): unknown => cleanEvent(change(data))?.data;
const changed = (attributes: object): unknown => {
  const [change] = listOf(mutation({ attributes: [{ id: 1, attributes }] }), "attributes");
  return (change as { attributes: unknown }).attributes;
};

describe("events", () => {
  test("without a time, of an unknown type or without their data are left out", () => {
    const bad = [
      null,
      1,
      [],
      {},
      { type: 6, timestamp: 1, data: {} },
      { type: 7, timestamp: 1, data: {} },
      { type: "2", timestamp: 1, data: {} },
      { type: 3, timestamp: 1, data: null },
      { type: 3, timestamp: 1 },
      { type: 3, timestamp: 1, data: { source: 9, id: 1 } },
      { type: 3, timestamp: 1, data: { source: "0" } },
      { type: 2, timestamp: "1", data: {} },
      { type: 2, timestamp: Number.NaN, data: {} },
      { type: 2, timestamp: 1, data: { node: null } },
      { type: 2, timestamp: 1, data: { node: text("x") } },
      { type: 5, timestamp: 1, data: { tag: "other", payload: {} } },
    ];
    expect(bad.map(cleanEvent)).toEqual(bad.map(() => null));
  });

  test("keep what is named, and nothing else", () => {
    const event = JSON.parse(`{"type":2,"timestamp":1,"extra":1,"data":{"__proto__":{"a":1},"node":
      {"type":0,"id":1,"childNodes":[{"type":2,"id":2,"tagName":"SCRIPT","isCustom":true,"attributes":
      {"src":"//evil","onload":"x","__proto__":"y","class":"k"},"childNodes":[]}]}}}`);
    expect<unknown>(cleanEvent(event)).toEqual({
      type: 2,
      timestamp: 1,
      data: {
        node: {
          type: 0,
          id: 1,
          childNodes: [
            { type: 2, id: 2, tagName: "span", attributes: { class: "k" }, childNodes: [] },
          ],
        },
        initialOffset: { top: 0, left: 0 },
      },
    });
  });

  test("name a page by its origin and path", () => {
    const of = (href: unknown) =>
      cleanEvent({ type: 4, timestamp: 1, data: { href, width: 800, height: 1e9 } })?.data;
    expect(of("https://shop.test/a/b?token=secret#x")).toEqual({
      href: "https://shop.test/a/b",
      width: 800,
      height: 20_000,
    });
    for (const bad of ["javascript:alert(1)", "https://user:secret@shop.test/", "", 7]) {
      expect(of(bad)).toMatchObject({ href: "" });
    }
  });

  test("tell of a route", () => {
    const payload = { href: "https://shop.test/next?q=1", more: 1 };
    const event = cleanEvent({ type: 5, timestamp: 1, data: { tag: "aa-route", payload } });
    expect<unknown>(event?.data).toEqual({
      tag: "aa-route",
      payload: { href: "https://shop.test/next" },
    });
  });
});

describe("what a visitor entered", () => {
  test("is stars, in whatever way it comes", () => {
    const attributes = { type: "hidden", value: "secret", checked: true, selected: true };
    const masked = { type: "hidden", value: "******" };
    for (const tag of ["input", "textarea", "select"]) {
      expect(cleanAttributes(tag, attributes)).toEqual(masked);
    }
    expect(changed(attributes)).toEqual(masked);
    const spoken = { value: "42", "aria-valuenow": "42", "aria-valuetext": "42 kg" };
    const silent = { value: "**", "aria-valuenow": "**", "aria-valuetext": "*****" };
    for (const tag of ["input", "x-field"]) expect(cleanAttributes(tag, spoken)).toEqual(silent);
    expect(changed(spoken)).toEqual(silent);
    expect(cleanChange({ source: 5, id: 1, text: "secret", isChecked: true })).toEqual({
      source: 5,
      id: 1,
      text: "******",
      isChecked: false,
    });
  });

  test("does not hide what a page shows by the same attribute", () => {
    expect(cleanAttributes("progress", { value: "3", max: "10" })).toEqual({
      value: "3",
      max: "10",
    });
  });
});

describe("attributes", () => {
  test("of events, addresses and policies do not exist", () => {
    const attributes = {
      onclick: "x",
      OnError: "x",
      srcset: "//evil 1x",
      srcdoc: "<script>",
      action: "//evil",
      rr_dataURL: "//evil",
      sandbox: "allow-scripts",
      background: "//evil",
      "": "",
      "x onerror=1": "1",
    };
    expect(cleanAttributes("div", attributes)).toEqual({});
    expect(changed(attributes)).toEqual({});
  });

  test("have one way to be written", () => {
    const attributes = { CLASS: "a", viewbox: "0 0 1 1", "DATA-x": "1", "aria-label": "b" };
    expect(cleanAttributes("div", attributes)).toEqual({
      class: "a",
      viewBox: "0 0 1 1",
      "data-x": "1",
      "aria-label": "b",
    });
  });

  test("of a link lead nowhere; the page it led to is kept", () => {
    expect(cleanAttributes("a", { href: "https://shop.test/next?secret=1" })).toEqual({
      href: "#",
      "data-aa-href": "https://shop.test/next",
    });
    expect(cleanAttributes("a", { href: "javascript:alert(1)" })).toEqual({ href: "#" });
    expect(cleanAttributes("a", { href: "#part" })).toEqual({ href: "#part" });
    expect(changed({ href: "https://shop.test/next" })).toEqual({
      "data-aa-href": "https://shop.test/next",
    });
  });

  test("of a picture that may not be loaded make an empty one", () => {
    const empty = { src: expect.stringMatching(/^data:image\/gif;/), "data-aa-picture": "" };
    expect(cleanAttributes("img", { src: "https://shop.test/a.png" })).toEqual(empty);
    expect(cleanAttributes("img", {})).toEqual(empty);
    const embedded = { src: "data:image/png;base64,AAAA" };
    expect(cleanAttributes("img", embedded)).toEqual(embedded);
  });

  test("that name an element of a form hide no member of it", () => {
    expect(cleanAttributes("input", { name: "appendChild", id: "childNodes" })).toEqual({
      name: "aa-appendChild",
      id: "aa-childNodes",
    });
    expect(cleanAttributes("input", { id: "first-name" })).toEqual({ id: "first-name" });
    expect(cleanAttributes("div", { id: "content" })).toEqual({ id: "content" });
  });

  test("are sixty, and what comes in place of an address", () => {
    const names = Array.from({ length: 100 }, (_, at) => [`data-n${at}`, "x"]);
    const attributes = cleanAttributes("a", Object.fromEntries([["href", "x"], ...names]));
    expect(Object.keys(attributes as object).length).toBe(61);
  });

  test("measure in pixels alone", () => {
    expect(cleanAttributes("div", { rr_width: "12.5px", rr_height: "1px;color:red" })).toEqual({
      rr_width: "12.5px",
    });
  });
});

describe("nodes", () => {
  test("that are unknown keep their place, what is in them and their look", () => {
    const inner = text("inside");
    for (const [tag, kept] of [
      ["object", "span"],
      ["META", "span"],
      ["x-card", "x-card"],
      ["img src=x", "span"],
      ["LINK", "style"],
    ] as const) {
      expect(cleanNodes(element(tag))).toEqual([expect.objectContaining({ tagName: kept })]);
    }
    expect(cleanNodes(element("noscript", {}, [inner]))).toEqual([
      expect.objectContaining({ tagName: "span", childNodes: [inner] }),
    ]);
    expect(cleanNodes({ ...element("foreignObject"), isSVG: true })).toEqual([
      expect.objectContaining({ tagName: "g" }),
    ]);
  });

  test("of a frame are left to the event that brings its document", () => {
    expect(cleanNodes(element("iframe", {}, [element("p")]))).toEqual([element("iframe")]);
    const document = { type: 0, id: 9, childNodes: [element("p")] };
    const add = { parentId: 5, nextId: null, node: document };
    const attached = cleanEvent(mutation({ adds: [add], isAttachIframe: true }));
    expect<unknown>(attached?.data.adds).toEqual([add]);
    expect<unknown>(cleanEvent(mutation({ adds: [add] }))?.data.adds).toEqual([]);
  });

  test("of a style are CSS, whatever they say", () => {
    expect(cleanNodes(element("style", {}, [element("p"), text("a{b:url(//evil)}")]))).toEqual([
      element("style", {}, [text("a{b:url()}", { isStyle: true })]),
    ]);
  });

  test("are 512 deep at most", () => {
    let deep = element("b");
    for (let at = 0; at < 3_000; at += 1) deep = element("div", {}, [deep]);
    expect(JSON.stringify(cleanNodes(deep)).match(/"div"/g)?.length).toBe(512);
  });
});
