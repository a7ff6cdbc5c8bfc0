import { describe, expect, test } from "bun:test";
import { cleanEvent } from "./clean";

const paragraph = { type: 2, id: 5, tagName: "p", attributes: {}, childNodes: [] };
const cleanChange = (data: object): unknown => cleanEvent({ type: 3, timestamp: 1, data })?.data;
const cleanMutation = (data: object) =>
  cleanChange({ source: 0, texts: [], attributes: [], removes: [], adds: [], ...data }) as Record<
    string,
    { readonly attributes?: unknown }[]
  >;
const changed = (attributes: object): unknown =>
  cleanMutation({ attributes: [{ id: 1, attributes }] }).attributes?.[0]?.attributes;

describe("changes", () => {
  test("name nodes by whole numbers, or are dropped", () => {
    const clean = cleanMutation({
      texts: [
        { id: -1, value: "x" },
        { id: 2, value: "y" },
      ],
      removes: [
        { id: 1.5, parentId: 1 },
        { id: 3, parentId: 4, isShadow: true, more: 1 },
      ],
      adds: [
        { parentId: 2 ** 53, nextId: null, node: paragraph },
        { parentId: 1, nextId: -1, previousId: "x", node: paragraph },
      ],
    });
    expect<unknown>(clean).toEqual({
      source: 0,
      texts: [{ id: 2, value: "y" }],
      attributes: [],
      removes: [{ id: 3, parentId: 4, isShadow: true }],
      adds: [{ parentId: 1, nextId: null, previousId: null, node: paragraph }],
    });
  });

  test("of a text whose parent is unknown cannot load, neither alone nor joined", () => {
    const value = (one: string): unknown =>
      cleanMutation({ texts: [{ id: 1, value: one }] }).texts?.[0];
    expect(value("p{background:url(//evil)}")).toEqual({ id: 1, value: "p{background:url()}" });
    expect(value("rl(//evil)")).toEqual({ id: 1, value: " rl(//evil)" });
    expect(value("C:\\users (mine)")).toEqual({ id: 1, value: "C:\\users (mine)" });
  });

  test("of attributes take them away, and change a style by its properties", () => {
    expect(changed({ class: null, "x y": null, style: { color: "red", top: false } })).toEqual({
      class: null,
      style: { color: "red", top: false },
    });
    expect(changed({ style: { background: ["url(//evil)", "important"], "a;b": "x" } })).toEqual({
      style: { background: ["url()", "important"] },
    });
  });

  test("of style sheets are CSS", () => {
    const rule = "i{background:url(//evil)}";
    const clean = "i{background:url()}";
    expect(
      cleanChange({ source: 8, id: 1, adds: [{ rule, index: [0, 1] }], replace: rule }),
    ).toEqual({ source: 8, id: 1, adds: [{ rule: clean, index: [0, 1] }], replace: clean });
    const set = { property: "color", value: "url(//evil)", priority: "important", more: 1 };
    expect(cleanChange({ source: 13, styleId: 1, index: 2, set })).toEqual({
      source: 13,
      styleId: 1,
      index: 2,
      set: { property: "color", value: "url()", priority: "important" },
    });
    const styles = [{ styleId: 1, rules: [{ rule }] }, { styleId: "x" }];
    expect(cleanChange({ source: 15, id: 1, styleIds: [1, "x"], styles })).toEqual({
      source: 15,
      id: 1,
      styleIds: [1],
      styles: [{ styleId: 1, rules: [{ rule: clean }] }],
    });
    expect(cleanChange({ source: 8, adds: [] })).toBeUndefined();
  });

  test("of the pointer are numbers", () => {
    const positions = [{ x: 1, y: 2, id: 3, timeOffset: -1e15 }, "x", { x: Number.NaN }];
    expect(cleanChange({ source: 1, positions })).toEqual({
      source: 1,
      positions: [
        { x: 1, y: 2, id: 3, timeOffset: -60_000 },
        { x: 0, y: 0, id: 0, timeOffset: 0 },
      ],
    });
    expect(cleanChange({ source: 1, positions: [] })).toBeUndefined();
    expect(cleanChange({ source: 2, type: "constructor", id: 1 })).toBeUndefined();
    expect(cleanChange({ source: 2, type: 11, id: 1 })).toBeUndefined();
    expect(cleanChange({ source: 2, type: 2, id: 1, x: 4, y: 5 })).toEqual({
      source: 2,
      type: 2,
      id: 1,
      x: 4,
      y: 5,
    });
  });
});
