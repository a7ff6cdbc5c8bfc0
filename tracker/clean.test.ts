import { describe, expect, test } from "bun:test";
import { openPage } from "../test/support/browser/tracker-page";
import { processorMs } from "../test/support/suite/processor-time";

async function cleaned(properties: unknown): Promise<Record<string, unknown>> {
  const page = openPage();
  page.api.track("probe", properties);
  const probe = (await page.events()).at(-1);
  expect(probe?.event).toBe("probe");
  const { screen, title, path, url, ...rest } = probe?.properties ?? {};
  expect([screen, title, path, url]).not.toContain(undefined);
  return rest;
}
const value = async (given: unknown): Promise<unknown> => (await cleaned({ value: given })).value;

const nested = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : { next: nested(levels - 1, inner) };

describe("what is dropped", () => {
  test("keys that contain email, in any case and at any depth", async () => {
    const rest = await cleaned({
      email: "a@example.com",
      userEMail: "b@example.com",
      list: [{ backup_email_2: "c", kept: 1 }],
      deep: { er: { EMAIL: "d", kept: 2 } },
    });
    expect(JSON.stringify(rest)).not.toMatch(/email|@|"[cd]"/i);
    expect(rest).toMatchObject({ list: [{ kept: 1 }], deep: { er: { kept: 2 } } });
  });

  test("functions, symbols and bigints", async () => {
    const rest = await cleaned({ f: () => 1, s: Symbol("s"), b: 1n, list: [1, () => 1, 2n, 3] });
    expect(rest).not.toContainAnyKeys(["f", "s", "b"]);
    expect(rest.list).toEqual([1, 3]);
  });

  test("keys after the hundredth, items after the fiftieth, characters after the 4,096th", async () => {
    const keys = Object.fromEntries(
      Array.from({ length: 101 }, (_, index) => [`k${index}`, index]),
    );
    expect(Object.keys((await value(keys)) as object)).toHaveLength(100);
    expect(await value(Array.from({ length: 51 }, (_, index) => index))).toHaveLength(50);
    expect(await value("x".repeat(4_097))).toBe("x".repeat(4_096));
    expect(await value("x".repeat(4_096))).toBe("x".repeat(4_096));
    const fits = "x".repeat(4_000) + "😀".repeat(96);
    expect(await value(fits)).toBe(fits);
    expect(await value(`${fits}😀`)).toBe(fits);
  });

  test("the page's own hundred keys come beside the automatic ones", async () => {
    const keys = Object.fromEntries(
      Array.from({ length: 101 }, (_, index) => [`k${index}`, index]),
    );
    const rest = await cleaned(keys);
    expect(Object.keys(rest).filter((key) => /^k\d/.test(key))).toHaveLength(100);
    expect(rest).toHaveProperty("browser");
  });
});

describe("what is replaced", () => {
  test("levels after the eighth", async () => {
    // The properties are the first level.
    expect(await value(nested(7, "end"))).toEqual(nested(7, "end"));
    expect(await value(nested(8, "end"))).toEqual(nested(7, "[MaxDepth]"));
    expect(await value([[[[[[[["end"]]]]]]]])).toEqual([[[[[[["[MaxDepth]"]]]]]]]);
  });

  test("cycles, but not what is only used twice", async () => {
    const shared = { a: 1 };
    const loop: Record<string, unknown> = { shared, again: shared };
    loop.self = loop;
    loop.list = [loop];
    expect(await value(loop)).toEqual({
      shared: { a: 1 },
      again: { a: 1 },
      self: "[Circular]",
      list: ["[Circular]"],
    });
  });

  test("a date becomes its text, and a number that is none becomes null", async () => {
    expect(await value(new Date(0))).toBe("1970-01-01T00:00:00.000Z");
    expect(await value([Number.NaN, Number.POSITIVE_INFINITY])).toEqual([null, null]);
  });
});

describe("what stays", () => {
  test("plain values", async () => {
    const plain = {
      text: "a",
      number: 1.5,
      yes: true,
      no: false,
      nothing: null,
      list: [1, "b", null],
      empty: {},
    };
    expect(await value(plain)).toEqual(plain);
  });

  test("set values come after the automatic ones and before the event's own; null removes", async () => {
    const page = openPage();
    page.api.set({ title: "set", plan: "pro", userEmail: "x@example.com" });
    page.api.track("a", { plan: "free" });
    page.api.set({ plan: null });
    page.api.track("b", { nothing: null });
    const [, a, b] = await page.events();
    expect(a?.properties).toMatchObject({ title: "set", plan: "free" });
    expect(a?.properties).not.toHaveProperty("userEmail");
    expect(b?.properties).not.toHaveProperty("plan");
    expect(b?.properties.nothing).toBeNull();
  });
});

describe("what a page can do wrong", () => {
  test("properties that are no object are none", async () => {
    for (const properties of [null, "text", 5, () => 1, Symbol("s")]) {
      expect(Object.keys(await cleaned(properties))).toContain("browser");
    }
  });

  test("a getter that throws costs its event and nothing else", async () => {
    const page = openPage();
    page.api.track("broken", {
      get value() {
        throw new Error("no");
      },
    });
    page.api.track("fine");
    expect((await page.events()).map(({ event }) => event)).toEqual(["page_view", "fine"]);
  });

  test("a graph without end is walked for a bounded time", async () => {
    const nodes: Record<string, unknown>[] = Array.from({ length: 60 }, () => ({}));
    for (const node of nodes)
      for (const [index, other] of nodes.entries()) node[`n${index}`] = other;
    const page = openPage();
    const startedMs = processorMs();
    page.api.track("fiber", { nodes });
    expect(processorMs() - startedMs).toBeLessThan(1_000);
    page.api.track("fine");
    expect((await page.events()).map(({ event }) => event)).toContain("fine");
  });

  test("names that the server would refuse are no events, and take no others along", async () => {
    const page = openPage();
    for (const name of ["", null, undefined, {}, "x".repeat(257), "\udfff"]) page.api.track(name);
    page.api.track("x".repeat(256));
    page.api.track(404);
    const names = (await page.events()).map(({ event }) => event);
    expect(names).toEqual(["page_view", "x".repeat(256), "404"]);
  });
});

test("aa.page names a page view; without a name it is the title", async () => {
  const page = openPage({ title: "Start" });
  page.api.page("Step two");
  page.api.page();
  expect((await page.events()).map(({ event, properties }) => [event, properties.page])).toEqual([
    ["page_view", "Start"],
    ["page_view", "Step two"],
    ["page_view", "Start"],
  ]);
});
