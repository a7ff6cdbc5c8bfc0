import { describe, expect, test } from "bun:test";
import {
  nextPage,
  openPage,
  type PageOptions,
  type TrackerPage,
  token,
} from "../test/support/browser/tracker-page";
import { cases } from "../test/support/random/cases";

type Weights = Readonly<Record<string, number>>;

/** A server that has these experiments. */
const serving = (experiments: Readonly<Record<string, Weights>>): PageOptions => ({
  answer: ({ path }) =>
    path === "/experiments/config"
      ? Response.json({
          experiments: Object.entries(experiments).map(([key, weights]) => ({
            key,
            variants: Object.entries(weights).map(([variant, weight]) => ({
              key: variant,
              weight,
            })),
          })),
        })
      : Response.json({ ok: true }, { status: 202 }),
});

async function opened(options: PageOptions): Promise<TrackerPage> {
  const page = openPage(options);
  await page.wait(0);
  expect(page.thrown).toEqual([]);
  return page;
}

describe("assignment", () => {
  // The bucket is seen by cutting the hundred at it: below is one variant, from it on the other.
  for (const [name, user, bucket] of [
    ["signup_cta", "user_1", 14],
    ["hero_text", "anon_abc", 75],
    ["signup_cta", "anon_k7x9", 33],
    ["hero", "user-42", 80],
  ] as const) {
    test(`${name}.${user} falls into bucket ${bucket}`, async () => {
      for (const [weight, expected] of [
        [bucket, "after"],
        [bucket + 1, "before"],
      ] as const) {
        const page = await opened(serving({ [name]: { before: weight, after: 100 - weight } }));
        page.api.identify(user);
        expect(page.api.experiment(name)).toBe(expected);
      }
    });
  }

  test("weights that do not reach the bucket leave the first variant", async () => {
    const page = await opened(serving({ hero: { a: 0, b: 0 } }));
    expect(page.api.experiment("hero")).toBe("a");
  });

  test("the same visitor has the same variant on the next page", async () => {
    const config = serving({ hero: { a: 50, b: 50 } });
    const first = await opened(config);
    const variant = first.api.experiment("hero");
    for (let visit = 0; visit < 5; visit++) {
      const page = nextPage(first, config);
      await page.wait(0);
      expect(page.api.experiment("hero")).toBe(variant);
    }
  });

  test("visitors are spread over the variants", async () => {
    const counts: Record<string, number> = { a: 0, b: 0 };
    const visitors = cases(100, 200);
    for (let visitor = 0; visitor < visitors; visitor++) {
      const variant = openPage().api.experiment("hero", ["a", "b"]);
      counts[variant ?? "none"] = (counts[variant ?? "none"] ?? 0) + 1;
    }
    // Among 100, chance has fewer than these once in ten million runs.
    expect(counts.a).toBeGreaterThan(cases(23, 60));
    expect(counts.b).toBeGreaterThan(cases(23, 60));
  });

  test("what was answered once on a page stays, also for somebody else", async () => {
    const page = await opened(serving({ hero: { before: 81, after: 19 } }));
    page.api.identify("user-42");
    expect(page.api.experiment("hero")).toBe("before");
    page.api.identify("user_1");
    expect(page.api.experiment("hero", ["x", "y"])).toBe("before");
  });
});

describe("definition", () => {
  test("without config the caller's keys have equal shares, the remainder goes to the first", async () => {
    // Bucket 33: of three variants with 34, 33 and 33 percent it is the first one's.
    const page = openPage({ attributes: { "data-token": null } });
    page.api.identify("anon_k7x9");
    expect(page.api.experiment("signup_cta", ["a", "b", "c"])).toBe("a");
    expect(page.requests.map(({ path }) => path)).not.toContain("/experiments/config");
  });

  test("the config wins over the caller's keys", async () => {
    const page = await opened(serving({ hero: { real: 100 } }));
    expect(page.api.experiment("hero", ["a", "b"])).toBe("real");
  });

  test("nobody defines it: null, and no exposure", async () => {
    const page = await opened(serving({}));
    expect(page.api.experiment("hero")).toBeNull();
    expect(page.api.experiment("hero", [])).toBeNull();
    expect(page.api.experiment("constructor")).toBeNull();
    expect(page.api.experiment("__proto__")).toBeNull();
    expect(await page.named("$experiment_exposure")).toEqual([]);
  });

  test("a config that fails in whatever way leaves the caller's keys", async () => {
    for (const answer of [
      () => new Response("{}", { status: 500 }),
      () => Response.json({ error: "INVALID_TOKEN" }, { status: 401 }),
      () => new Response("<html>"),
      () => {
        throw new TypeError("offline");
      },
    ]) {
      const page = await opened({ answer });
      expect(page.api.experiment("hero", ["a"])).toBe("a");
    }
  });

  test("the config is asked for once, by token, without cookies", async () => {
    const page = await opened({});
    const asked = page.requests.filter(({ path }) => path === "/experiments/config");
    expect(asked.map(({ url, options }) => [new URL(url).search, options.credentials])).toEqual([
      [`?token=${token}`, "omit"],
    ]);
  });
});

describe("forcing", () => {
  const forced = (value: string): PageOptions => ({
    ...serving({ hero: { a: 100, b: 0 } }),
    url: `https://shop.example.com/?aa_variant_hero=${value}`,
  });

  test("the address decides, and the exposure says so", async () => {
    const page = await opened(forced("b"));
    expect(page.api.experiment("hero")).toBe("b");
    const [exposure] = await page.named("$experiment_exposure");
    expect(exposure?.properties).toMatchObject({ experiment: "hero", variant: "b", forced: true });
  });

  test("a key that the experiment does not have is ignored", async () => {
    for (const value of ["c", "", "B"]) {
      expect((await opened(forced(value))).api.experiment("hero")).toBe("a");
    }
  });
});

test("one exposure per page load and experiment", async () => {
  const page = await opened(serving({ hero: { a: 100 } }));
  for (let call = 0; call < 3; call++) page.api.experiment("hero");
  page.window.history.pushState({}, "", "/next");
  page.api.experiment("hero");
  const exposures = await page.named("$experiment_exposure");
  expect(exposures).toHaveLength(1);
  expect(exposures[0]?.properties).toMatchObject({ experiment: "hero", variant: "a" });
  expect(exposures[0]?.properties).not.toHaveProperty("forced");
});

describe("elements of the page", () => {
  const html = `
    <h1 data-aa-experiment="hero" data-aa-variant-b="<b>Better</b>">Good</h1>
    <h2 data-aa-experiment="hero" data-aa-variant-b="Too">First</h2>
    <h3 data-aa-experiment="other" data-aa-variant-x="Never">Other</h3>`;
  const texts = (page: TrackerPage): string[] =>
    [...page.document.querySelectorAll("h1,h2,h3")].map(({ textContent }) => textContent ?? "");

  test("those of one name share the variant; its text is put in as text", async () => {
    const page = await opened({ ...serving({ hero: { a: 0, B: 100 } }), html });
    expect(texts(page)).toEqual(["<b>Better</b>", "Too", "Other"]);
    expect(page.document.querySelector("h1 b")).toBeNull();
    expect(await page.named("$experiment_exposure")).toHaveLength(1);
  });

  test("the control keeps its content", async () => {
    expect(texts(await opened({ ...serving({ hero: { a: 100, b: 0 } }), html }))).toEqual([
      "Good",
      "First",
      "Other",
    ]);
  });

  test("an empty text is a text", async () => {
    const empty = `<h1 data-aa-experiment="hero" data-aa-variant-b="">Good</h1>`;
    expect(texts(await opened({ ...serving({ hero: { b: 100 } }), html: empty }))).toEqual([""]);
  });

  for (const [name, answer] of [
    ["afterwards", serving({ hero: { b: 100 } }).answer],
    [
      "when the config does not come",
      () => {
        throw new TypeError("offline");
      },
    ],
  ] as const) {
    test(`the page is shown ${name}`, async () => {
      const page = openPage({
        html,
        ...(answer && { answer }),
        prepare: ({ document }) => {
          document.documentElement.className = "aa-loading theme";
        },
      });
      expect(page.document.documentElement.className).toBe("aa-loading theme");
      await page.wait(0);
      expect(page.document.documentElement.className).toBe("theme");
    });
  }
});
