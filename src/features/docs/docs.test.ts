import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { type TestApp, testApp } from "../../../test/support/app/app";
import { filesIn, textOf } from "../../../test/support/suite/sources";
import { ApiError, type ErrorCode, errorStatus } from "../../domain/errors";
import { errorAnswer } from "../../http/edge/errors";

let app: TestApp;
/** The pages by their addresses, `/docs/api/filters`. */
const pages = new Map<string, string>();
const files = filesIn("src/docs").filter((path) => path.endsWith(".md"));

const addressOf = (file: string): string =>
  file
    .replace(/^src/, "")
    .replace(/\.md$/, "")
    .replace(/\/(index|README)$/, "");
const textAt = async (address: string): Promise<string> =>
  await (await app.send("GET", address)).text();

beforeAll(async () => {
  app = await testApp();
  for (const address of files.map(addressOf)) pages.set(address, await textAt(address));
});
afterAll(() => app.close());

/** Every address that a page links or loads, without what is before it in the address of this server. */
const linksOf = (address: string, html: string): readonly URL[] =>
  [...html.matchAll(/\s(?:href|src|data-index|data-root)="([^"]*)"/g)]
    .map(([, link = ""]) => new URL(link, `http://localhost${address}`))
    .filter(({ hostname }) => hostname === "localhost");

describe("/docs", () => {
  test("has a page and its Markdown for every file of src/docs", async () => {
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const address = addressOf(file);
      const page = await app.send("GET", address);
      expect([address, page.status]).toEqual([address, 200]);
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
      const policy = page.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      const [, title = ""] = /^# (.*)$/m.exec(textOf(file)) ?? [];
      const heading = /<h1[^>]*>([\s\S]*?)<\/h1>/.exec(await page.text())?.[1] ?? "";
      expect([address, heading.replace(/<[^>]*>/g, "").trim().length]).toEqual([
        address,
        title.replaceAll("`", "").length,
      ]);
      const markdown = await app.send("GET", file.replace(/^src/, ""));
      expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(await markdown.text()).toBe(textOf(file));
    }
  });

  test("is Markdown for those that name it before HTML, and says that it depends on that", async () => {
    for (const [accept, type] of [
      ["text/markdown, text/html;q=0.9, */*;q=0.1", "text/markdown; charset=utf-8"],
      ["text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"],
      ["*/*", "text/html; charset=utf-8"],
    ]) {
      for (const path of ["/docs", "/docs/definitions", "/docs/internals/decisions"]) {
        const { headers } = await app.send("GET", path, { headers: { accept: accept ?? "" } });
        expect([accept, path, headers.get("content-type")]).toEqual([accept, path, type]);
        expect(headers.get("vary")?.split(", ")).toContain("accept");
      }
    }
  });

  test("links nothing that is not there: pages, sections, files, and what else the server answers", async () => {
    const answers = new Map<string, number>();
    const dead: string[] = [];
    for (const [address, html] of pages) {
      for (const { pathname, hash } of linksOf(address, html)) {
        const page = pages.get(pathname);
        const status = page === undefined ? answers.get(pathname) : 200;
        const known = status ?? (await app.send("GET", pathname)).status;
        answers.set(pathname, known);
        const hasSection =
          hash === "" || page?.includes(` id="${decodeURIComponent(hash.slice(1))}"`);
        if (known >= 400 || hasSection !== true) dead.push(`${address}: ${pathname}${hash}`);
      }
    }
    expect(dead).toEqual([]);
  });

  test("can be served below a path: no address of this server is absolute", () => {
    for (const [address, html] of pages) {
      const absolute = [...html.matchAll(/\s(?:href|src|data-\w+)="(\/[^"]*)"/g)].map(
        ([, one]) => one,
      );
      expect([address, absolute]).toEqual([address, []]);
    }
  });

  test("shows no brackets around an address: they are links in Markdown alone", () => {
    for (const [address, html] of pages)
      expect([address, html.match(/&lt;https?:\/\/[^<]*/g)]).toEqual([address, null]);
  });

  test("is under 60 kB a page with its style and script, as it is sent", async () => {
    const parts = [await textAt("/app/docs.css"), await textAt("/app/docs.js")];
    for (const [address, html] of pages) {
      const sent = [html, ...parts].map((text) => gzipSync(text).length);
      expect([address, sent.reduce((a, b) => a + b) < pageBytesMax]).toEqual([address, true]);
    }
  });

  test("can be read without scripts, and lists every page but those two folders deep", async () => {
    const html = pages.get("/docs/definitions") ?? "";
    expect(html.includes("<search hidden")).toBe(true);
    const listed = new Set(linksOf("/docs/definitions", html).map(({ pathname }) => pathname));
    const near = [...pages.keys()].filter((address) => address.split("/").length <= 4);
    expect(near.filter((address) => !listed.has(address))).toEqual([]);
    expect(html.match(/aria-current="page"/g)?.length).toBe(1);
    expect(/<a href="([^"]*)" aria-current="page">/.exec(html)?.[1]).toBe("definitions");
    const deep = pages.get("/docs/internals/decisions/in-the-code") ?? "";
    expect(/<a href="([^"]*)" aria-current="true">/.exec(deep)?.[1]).toBe("../decisions");
  });

  test("answers an unknown address with a page that helps, and repeats nothing of it", async () => {
    for (const [asked, meant] of [
      ["/docs/definition", "definitions"],
      ["/docs/internals/definitions.html", "../definitions"],
      ["/docs/architecture.md", "internals/architecture"],
      ["/docs/nothing/at/all", null],
      ["/docs/%3Cscript%3Ehostile", null],
    ]) {
      const answer = await app.send("GET", asked ?? "");
      const html = await answer.text();
      expect([asked, answer.status]).toEqual([asked, 404]);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      const [, list = null] = /<p>Did you mean one of these\?<\/p><ul>(.*)<\/ul>/.exec(html) ?? [];
      const links = [...(list ?? "").matchAll(/href="([^"]+)"/g)].map(([, link]) => link);
      expect([asked, links]).toEqual([asked, meant === null ? [] : [meant ?? ""]]);
      expect([asked, html.includes("hostile")]).toEqual([asked, false]);
      const others = linksOf(asked ?? "", html).filter(({ hash }) => hash === "");
      for (const { pathname } of others) {
        expect([pathname, (await app.send("GET", pathname)).status < 400]).toEqual([
          pathname,
          true,
        ]);
      }
    }
  });

  test("has a section for every code, which each refusal links", async () => {
    const errors = pages.get("/docs/api/errors") ?? "";
    for (const code of Object.keys(errorStatus) as ErrorCode[]) {
      const refusal = new ApiError(code, "No.");
      const { headers } = errorAnswer(refusal, { requestId: "", route: "", format: "json" });
      const [, path, anchor] = /^<([^#>]+)#([^>]+)>; rel="help"$/.exec(headers.link ?? "") ?? [];
      expect([code, path, errors.includes(`<h2 id="${anchor}">`)]).toEqual([
        ...[code, "/docs/api/errors", true],
      ]);
    }
    for (const asked of ["/nowhere", "/stats", "/projects/x"]) {
      const answer = await app.send("GET", asked);
      const { error } = (await answer.json()) as { error: string };
      const link = `</docs/api/errors#${error.toLowerCase()}>; rel="help"`;
      expect([asked, answer.headers.get("link")]).toEqual([asked, link]);
      expect(answer.headers.get("access-control-expose-headers")).toContain("Link");
    }
    expect((await app.send("GET", "/app/nowhere")).headers.get("link")).toBeNull();
  });

  test("has the text of every section for the search, and not too much of it", async () => {
    const answer = await app.send("GET", "/docs/search.json");
    const text = await answer.text();
    const sections: { path: string; anchor: string; heading: string; text: string }[] =
      JSON.parse(text);
    expect(gzipSync(text).length).toBeLessThan(searchBytesMax);
    for (const { path, anchor } of sections) {
      const html = pages.get(path === "" ? "/docs" : `/docs/${path}`) ?? "";
      expect([path, anchor, html.includes(` id="${anchor}"`) || anchor === ""]).toEqual([
        ...[path, anchor, true],
      ]);
    }
    const found = sections.find(({ heading }) => heading === "Time zones");
    expect(found?.path).toBe("definitions");
    expect(found?.text).toContain("The zone of a read is its tz");
    expect(found?.text).not.toMatch(/<\w|&amp;/);
  });
});

const pageBytesMax = 60_000;
/** The text of all pages, compressed. A browser loads it when somebody begins to search. */
const searchBytesMax = 150_000;
