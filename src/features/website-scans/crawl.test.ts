import { describe, expect, test } from "bun:test";
import { ApiError } from "../../domain/errors";
import type { Network } from "../../services/page-fetch/network";
import { type CrawlOptions, crawl } from "./crawl";
import { Site } from "./site";

const start = new URL("https://example.com/");
/** Long enough for what is answered at once, on a busy machine too. */
const times = { requestMsMax: 600, scanMsMax: 20_000 };
const html = { "content-type": "text/html" };
const plain = { "content-type": "text/plain" };
const to = (location: string): Response =>
  new Response(null, { status: 302, headers: { location } });
const never = new Promise<never>(() => undefined);

type Answers = Readonly<Record<string, () => Response | Promise<Response>>>;
const page = (text: string) => () => new Response(text, { headers: html });

/** A site that answers these; every other page is missing. */
function siteOf(answers: Answers): Network & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    resolve: async () => ["93.184.216.34"],
    request: async ({ host, pathname }) => {
      const path = host === start.host ? pathname : host + pathname;
      asked.push(path);
      return answers[path]?.() ?? new Response("missing", { status: 404 });
    },
  };
}
const linked = (...paths: readonly string[]) =>
  page(paths.map((path) => `<a href="${path}">A</a>`).join(""));

async function paths(network: Network, options: Partial<CrawlOptions> = {}): Promise<string[]> {
  const { signal } = new AbortController();
  const known = { network, allowHosts: [], isFull: true, signal, times };
  const site = new Site();
  await crawl(site, start, { ...known, ...options });
  return site.pages.map(({ url }) => url.pathname);
}

describe("robots.txt", () => {
  const read = (robots: () => Response | Promise<Response>) =>
    paths(siteOf({ "/": linked("/a"), "/a": page("A"), "/robots.txt": robots }));
  const rules = (lines: string) => () =>
    new Response(`User-agent: *\n${lines}`, { headers: plain });
  const text = (lines: string) => read(() => new Response(lines, { headers: plain }));

  test.each([
    ["is missing", () => new Response("", { status: 404 })],
    ["is kept from everybody", () => new Response("", { status: 403 })],
    ["is a page, as every address of an application is", page("<h1>App</h1>")],
    ["redirects to one that allows", () => to("https://www.example.com/robots.txt")],
  ])("that %s allows everything", async (_, robots) => {
    expect(await read(robots)).toEqual(["/", "/a"]);
  });

  test.each([
    ["fails", () => new Response("", { status: 500 })],
    ["is out of service", () => new Response("", { status: 503 })],
    ["never comes", () => never],
    ["breaks off", () => Promise.reject(new Error("reset"))],
    ["redirects for ever", () => to("/robots.txt")],
    ["redirects to another host", () => to("https://other.example.net/robots.txt")],
    ["redirects inward", () => to("http://127.0.0.1/robots.txt")],
    ["is endless", () => new Response("#".repeat(3 * 1024 * 1024), { headers: plain })],
    ["has more lines than can be compared", rules("Disallow: /x\n".repeat(5_001))],
    ["has a line of many stars", rules(`Disallow: /x${"*a".repeat(9)}`)],
  ])("that %s allows nothing but the start page", async (_, robots) => {
    expect(await read(robots)).toEqual(["/"]);
  });

  test("is obeyed by the most exact group and the longest rule", async () => {
    expect(await text("User-agent: *\nDisallow: /")).toEqual(["/"]);
    expect(await text("User-agent: *\nDisallow: /\nAllow: /a$")).toEqual(["/", "/a"]);
    expect(
      await text("User-agent: SightlineScanner\nDisallow: /a\n\nUser-agent: *\nDisallow:"),
    ).toEqual(["/"]);
    expect(await text("User-agent: OtherBot\nDisallow: /")).toEqual(["/", "/a"]);
    expect(await text("\ufeffuser-AGENT:*\r\nDISALLOW:/a # not here\r\n")).toEqual(["/"]);
    expect(await text("\u0000\u0001 no rules at all")).toEqual(["/", "/a"]);
  });

  test("of many rules is obeyed", async () => {
    expect(await read(rules("Disallow: /x\n".repeat(4_990)))).toEqual(["/", "/a"]);
    expect(await read(rules(`${"Disallow: /x\n".repeat(4_990)}Disallow: /a`))).toEqual(["/"]);
    expect(await read(rules(`Disallow: /a${"*".repeat(8)}`))).toEqual(["/"]);
  });

  test("is held against a hundred links at most", async () => {
    const many = Array.from({ length: 100 }, (_, at) => `/x${at}`);
    const robots = rules("Disallow: /x");
    const last = { "/a": page("A"), "/robots.txt": robots };
    const some = siteOf({ "/": linked(...many.slice(1), "/a"), ...last });
    expect(await paths(some)).toEqual(["/", "/a"]);
    const all = siteOf({ "/": linked(...many, "/a"), ...last });
    expect(await paths(all)).toEqual(["/"]);
  });

  test("is asked once, and not at all for a preview", async () => {
    const network = siteOf({ "/": linked("/a", "/b"), "/a": page("A"), "/b": page("B") });
    await paths(network);
    expect(network.asked).toEqual(["/", "/robots.txt", "/a", "/b"]);
    await paths(network, { isFull: false });
    expect(network.asked.slice(4)).toEqual(["/"]);
  });

  test("holds for what a page redirects to", async () => {
    const network = siteOf({
      "/": linked("/a", "/b", "/c"),
      "/a": () => to("/secret"),
      "/b": () => to("https://www.example.com/b"),
      "/c": () => to("/d"),
      "/d": page("D"),
      "/secret": page("Secret"),
      "www.example.com/b": page("B"),
      "/robots.txt": () => new Response("User-agent: *\nDisallow: /secret", { headers: plain }),
    });
    expect(await paths(network)).toEqual(["/", "/d"]);
    expect(network.asked).toEqual(["/", "/robots.txt", "/a", "/b", "/c", "/d"]);
  });
});

describe("the pages of a full scan", () => {
  test("are nine links at most, whatever they answer", async () => {
    const many = Array.from({ length: 30 }, (_, at) => `/p${at}`);
    const network = siteOf({ "/": linked(...many) });
    expect(await paths(network)).toEqual(["/"]);
    expect(network.asked.length).toBe(1 + 1 + 9);
  });

  test("are of the same origin, without files, shallow ones first, each once", async () => {
    const network = siteOf({
      "/": linked(
        ...["/a/b/c", "/a/b?x=1", "/a/b#y", "//other.example.net/", "http://example.com/plain"],
        ...["https://www.example.com/", "https://example.com:443/z", "/file.pdf", "/y.html", "/?q"],
        ...[
          "mailto:a@example.com",
          "javascript:alert(1)",
          "https://[bad",
          `/${"l".repeat(600)}`,
          "/y.html",
        ],
      ),
    });
    await paths(network);
    expect(network.asked.slice(2)).toEqual(["/z", "/y.html", "/a/b", "/a/b/c"]);
  });

  test("are those that a base of 2,000 characters leads to; a longer one is ignored", async () => {
    const askedWith = async (chars: number): Promise<string | undefined> => {
      const folder = "https://example.com/".padEnd(chars - 3, "b");
      const base = () =>
        new Response(`<base href="${folder}/"><a href="/">X</a><a href="a">A</a>`, {
          headers: html,
        });
      const network = siteOf({ "/": base });
      await paths(network);
      return network.asked[2];
    };
    expect(await askedWith(2_000)).toEndWith("bbb/a");
    expect(await askedWith(2_010)).toBe("/a");
  });

  // What waits for a time to be up waits beside what follows.
  test.concurrent("are left out where they cannot be read", async () => {
    const network = siteOf({
      "/": linked("/a", "/b", "/c", "/d", "/e"),
      "/a": () => new Response("A", { headers: { "content-type": "image/png" } }),
      "/b": () => never,
      "/c": () => Promise.reject(new Error("reset")),
      "/d": () => to("http://10.0.0.1/"),
      "/e": page("E"),
    });
    expect(await paths(network)).toEqual(["/", "/e"]);
  });
});

test.concurrent("a page that is not in UTF-8 is read as what it is", async () => {
  const shiftJis = Buffer.from("<a>\x83\x4a\x81\x5b</a>", "latin1");
  const network = siteOf({
    "/": () =>
      new Response(shiftJis, { headers: { "content-type": "text/html; charset=Shift_JIS" } }),
  });
  const { signal } = new AbortController();
  const site = new Site();
  await crawl(site, start, { network, allowHosts: [], isFull: false, signal });
  expect(site.pages[0]?.parts.map(({ label }) => label)).toEqual(["カー"]);
});

describe("time", () => {
  test.concurrent("that is up for a scan ends it with what it has", async () => {
    const network = siteOf({ "/": linked("/a", "/b", "/c"), "/a": page("A"), "/b": () => never });
    const read = await paths(network, { times: { requestMsMax: 20_000, scanMsMax: 1_500 } });
    expect(read).toEqual(["/", "/a"]);
    expect(network.asked).toEqual(["/", "/robots.txt", "/a", "/b"]);
  });

  test.concurrent("that is up for the start page fails it, and so does the stop of the server", async () => {
    const codeOf = async (options: Partial<CrawlOptions>): Promise<string> => {
      try {
        await paths(siteOf({ "/": () => never }), options);
        return "read";
      } catch (error) {
        return error instanceof ApiError ? error.code : "another error";
      }
    };
    expect(await codeOf({})).toBe("SCAN_FAILED");
    expect(await codeOf({ times: { requestMsMax: 10_000, scanMsMax: 30 } })).toBe("SCAN_FAILED");
    expect(await codeOf({ signal: AbortSignal.timeout(10) })).toBe("SCAN_FAILED");
  });
});
