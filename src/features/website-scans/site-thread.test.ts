import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { app, closeApp, openApp, site } from "../../../test/scans/scan-calls";
import { workerThreads } from "../../open-deps";
import { Admission } from "./admission";
import { Scans } from "./scans";
import { SiteThread } from "./site-thread";

/** Threads that are like ours until they get a page: one loops, one is within native code, one ends. */
const scripts = {
  loops: "self.onmessage = () => { for (;;); };",
  native: 'self.onmessage = () => /^(a+)+$/.test("a".repeat(26) + "b");',
  ends: "self.onmessage = () => process.exit();",
};
const urls = new Map(
  Object.entries(scripts).map(([name, code]) => [name, URL.createObjectURL(new Blob([code]))]),
);
const start = (name: keyof typeof scripts) => () => new Worker(urls.get(name) ?? "");
afterAll(() => {
  for (const url of urls.values()) URL.revokeObjectURL(url);
});

const text = (html: string) => ({
  address: "https://example.com/",
  bytes: Buffer.from(html),
  charset: null,
});
const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(String, (error: Error) => error.message);
const msMax = 50;

describe("the thread that reads a site", () => {
  test("starts with the first question, answers, and is gone after its end", async () => {
    let started = 0;
    const thread = new SiteThread(() => {
      started += 1;
      return workerThreads.siteReader();
    });
    expect(started).toBe(0);
    await thread.page(text('<a href="/pricing">Pricing</a><a href="/b">B</a>'));
    await thread.robots(Buffer.from("User-agent: *\nDisallow: /b"));
    expect(await thread.links()).toEqual(["https://example.com/pricing"]);
    expect(await thread.mayRead("https://example.com/b")).toBe(false);
    const { preview, full, snippet } = await thread.plans("https://example.com/", false);
    expect([JSON.parse(preview).hostname, full, snippet]).toEqual(["example.com", null, null]);
    expect(started).toBe(1);
    thread.end(new Error("over"));
    await thread.ended;
    expect([thread.isStuck, await failure(thread.links())]).toEqual([false, "over"]);
  });

  test.each(["loops", "native"] as const)(
    "that %s is ended when its time is over",
    async (name) => {
      const thread = new SiteThread(start(name), msMax);
      expect(await failure(thread.page(text("<p>")))).toContain("take too long to read");
      expect(thread.isStuck).toBe(true);
      expect(await failure(thread.links())).toContain("take too long to read");
      await thread.ended;
    },
  );

  test("that ends by itself fails what it was asked", async () => {
    const thread = new SiteThread(start("ends"));
    expect(await failure(thread.page(text("<p>")))).toContain("broke off");
    await thread.ended;
  });

  test("that was never started has nothing to end", async () => {
    const thread = new SiteThread(start("loops"));
    thread.end(new Error("over"));
    await thread.ended;
  });
});

describe("a page that its thread cannot finish", () => {
  beforeEach(openApp);
  afterEach(closeApp);
  const url = new URL(`https://${site}/`);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "succeeded",
      (error: { code: string }) => error.code,
    );

  test("fails its scan, which holds its place until the thread has ended", async () => {
    const scans = new Scans({ ...app.deps, startSiteReader: start("native") }, msMax);
    const other = new Scans(app.deps);
    expect(await codeOf(scans.anonymous(url, "stranger"))).toBe("SCAN_FAILED");
    expect(await codeOf(scans.anonymous(url, "stranger"))).toBe("SCAN_BUSY");
    // The server goes on with others.
    expect(await codeOf(other.anonymous(url, "somebody"))).toBe("succeeded");
    let code = "SCAN_BUSY";
    while (code === "SCAN_BUSY") {
      await Bun.sleep(20);
      code = await codeOf(scans.anonymous(new URL("https://unknown.example.net/"), "stranger"));
    }
    expect(code).toBe("SCAN_FAILED");
  });

  test("does not keep the server from stopping", async () => {
    const scans = new Scans({ ...app.deps, startSiteReader: start("loops") });
    const work = codeOf(scans.anonymous(url, "stranger"));
    await Bun.sleep(50);
    await scans.close();
    expect(await work).toBe("UNAVAILABLE");
  });
});

test("eight scans of all accounts run at a time, each with its thread", () => {
  const admission = new Admission();
  const [leave] = Array.from({ length: 8 }, (_, at) => admission.ofAccount(`acc_${at}`));
  expect(() => admission.ofAccount("acc_8")).toThrow("8 scans, the maximum");
  leave?.();
  admission.ofAccount("acc_8");
});
