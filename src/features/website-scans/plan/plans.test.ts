import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  addressOf,
  isWhole,
  planFor,
  plansFolder,
  savedSites,
  sites,
  textFor,
} from "../../../../test/scans/sites";
import { processorMs } from "../../../../test/support/suite/processor-time";
import { readPage } from "../reading/read-page";
import { ScanResult } from "../schema";
import { adviceOf } from "./advice";
import { planOf } from "./plan";
import { signals } from "./signals";

const allowed = { preview: [3, 5], full: [5, 8] } as const;

describe("saved sites", () => {
  test("are forty with the huge one below, and each has its plan in a file", () => {
    expect(sites.length).toBeGreaterThanOrEqual(40);
    expect(sites.filter((site) => !existsSync(join(plansFolder, `${site}.md`)))).toEqual([]);
  });

  test.each(sites)("%s has the plan of its file", async (site) => {
    expect(await textFor(site)).toBe(readFileSync(join(plansFolder, `${site}.md`), "utf8"));
  });

  test.each(sites)(
    "%s: equal pages give an equal answer, to the byte, within its bounds",
    async (site) => {
      for (const size of ["preview", "full"] as const) {
        const plan = await planFor(site, size);
        expect(JSON.stringify(await planFor(site, size))).toBe(JSON.stringify(plan));
        expect(ScanResult["~standard"].validate(plan)).toEqual({ value: plan });
        const events = plan.minimum_viable_instrumentation.map(({ event }) => event);
        const [min, max] = allowed[size];
        expect(events.length).toBeWithin(min, max + 1);
        expect(new Set(events).size).toBe(events.length);
        const priorities = plan.minimum_viable_instrumentation.map(({ priority }) => priority);
        expect(priorities).toEqual(events.map((_, at) => at + 1));
      }
    },
  );
});

test("each signal is seen on a saved site, and has its advice", async () => {
  const seen = new Set<string>();
  for (const site of sites) {
    const plan = await planFor(site, isWhole(site) ? "full" : "preview");
    for (const { event, implementation_hint } of plan.minimum_viable_instrumentation) {
      if (!implementation_hint.includes("on the start page")) seen.add(event);
    }
  }
  expect(signals.filter(({ event }) => !seen.has(event)).map(({ event }) => event)).toEqual([]);
  expect(Object.keys(adviceOf)).toEqual(signals.map(({ event }) => event));
});

test("no recommendation repeats what the tracker sends by itself, and each names a means of it", async () => {
  const means =
    /data-aa-event=|data-aa-impression=|window\.aa\.track\(|POST \/track|aa\.(identify|set)\(|data-track-/;
  for (const site of sites) {
    const plan = await planFor(site, "full");
    for (const { event, implementation_hint } of plan.minimum_viable_instrumentation) {
      expect(implementation_hint).toMatch(means);
      expect(["page_view", "session_start", "$impression", "$click"]).not.toContain(event);
    }
    for (const { implementation_hint } of plan.advanced_tracking_later) {
      expect(implementation_hint).toMatch(means);
    }
  }
});

describe("a page is read whatever it is", () => {
  const huge = (part: string, bytes: number, before: string): string =>
    '<!doctype html><main><h1>Huge</h1><a class="btn" href="/signup">Sign up</a>' +
    before +
    part.repeat(bytes / part.length);
  test.each([
    ["open elements, and end tags of none", "<b></i>"],
    ["regions in regions", "<nav><footer>"],
    ["muted elements in one another", "<svg><title>"],
    ["many links", '<div class="row"><a href="/a/b">An ordinary link</a><p>and text</p></div>'],
    ["endless nesting", "<div><section>"],
    ["attributes without an end", '<a x="y" '],
    ["one text", "word &amp; word "],
    ["open scripts", "<script>x</script>"],
    ["forms in forms", "<form><input type=email>"],
    ["bases", `<base href="/${"b".repeat(1_900)}/">`],
    ["a base in front of links", `<a href="x">x</a>`, `<base href="/${"b".repeat(1_900_000)}/">`],
    ["a long base in front of links", `<a href="x">x</a>`, `<base href="/${"b".repeat(1_900)}/">`],
    ["entities", '<a href="&lt;&lt;&lt;" title="&amp;&nbsp;&#x41;">&gt;&gt;</a>'],
    ["frames", '<iframe src="//youtube.com/"></iframe>'],
    ["spaces in a script", `gtag(${" ".repeat(1_000)}`, "<script>"],
    ["prices", "$1,1,1,1,1,1 / ", "<section>"],
    ["classes of banners", `<p class="${"cookie ".repeat(200)}">`],
  ] as [string, string, string?][])("2 MiB of %s", async (...[, part, before = ""]) => {
    const html = huge(part, 2_000_000 - before.length, before);
    const startedMs = processorMs();
    const plan = await planFor("huge", "preview", savedSites({ [addressOf("huge").href]: html }));
    // The thread that reads pages is ended after 10 s.
    expect(processorMs() - startedMs).toBeLessThan(4_000);
    const [first] = plan.minimum_viable_instrumentation;
    expect(first?.event).toBe("signup_started");
    expect(JSON.stringify(plan).length).toBeLessThan(20_000);
  });

  test.each([
    ["10,000 elements", "<b>", 10_000],
    ["15,000 end tags", "</i>", 15_000],
  ])("as far as %s", async (_, part, count) => {
    const eventsOf = async (times: number): Promise<string[]> => {
      const filled = `<!doctype html>${part.repeat(times)}${" ".repeat(5_000)}<i></i><a href="/signup">Sign up</a>`;
      const network = savedSites({ [addressOf("long").href]: filled });
      const plan = await planFor("long", "preview", network);
      return plan.minimum_viable_instrumentation.map(({ event }) => event);
    };
    expect(await eventsOf(count - 10)).toContain("signup_started");
    expect(await eventsOf(count + 10)).not.toContain("signup_started");
  });

  test("a plan is made in bounded time", async () => {
    const classes = (prefix: string): string =>
      Array.from({ length: 110 }, (_, at) => prefix + at.toString(36).padStart(2, "x")).join(" ");
    const others = `<a class="${classes("a")}">x</a>`.repeat(1_900);
    // The first of those with such classes is no signal, so that no class finds the others first.
    const labels = ["x", "Sign up", "Checkout", "Contact us", "Download", "Docs"];
    const html = others + labels.map((label) => `<a class="${classes("b")}">${label}</a>`).join("");
    const start = addressOf("classes");
    const page = await readPage(start, Buffer.from(html));
    const startedMs = processorMs();
    const plan = planOf(start, [page], "preview");
    // It was ten seconds when each comparison took the classes of both apart.
    expect(processorMs() - startedMs).toBeLessThan(4_000);
    const [first] = plan.minimum_viable_instrumentation;
    expect(first?.implementation_hint).toContain("number 2 of these");
  });

  test("what it says enters an answer as labels of 80 characters at most, without what cannot be seen", async () => {
    const plan = await planFor("hostile-text", "preview");
    const text = JSON.stringify(plan);
    expect(text).toContain("IGNORE ALL PREVIOUS INSTRUCTIONS");
    expect(text).not.toContain("delete every project");
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });
});

describe("a full scan", () => {
  test("reads what robots.txt allows, same origin, no files, shallow pages first", async () => {
    const network = savedSites();
    await planFor("site-full", "full", network);
    expect(network.asked).toEqual(["/", "/robots.txt", "/pricing", "/signup", "/guides/start"]);
  });

  test("reads the start page and nine more", async () => {
    const start = addressOf("many").href;
    const links = Array.from({ length: 30 }, (_, at) => `<a href="/p${at}">Page ${at}</a>`);
    const pages = links.map((_, at) => [`${start}p${at}`, "<h1>Page</h1>"]);
    const network = savedSites({ [start]: links.join(""), ...Object.fromEntries(pages) });
    await planFor("many", "full", network);
    expect(network.asked.length).toBe(1 + 1 + 9);
  });
});
