import { describe, expect, test } from "bun:test";
import { htmlWithBasePath, refuseOwnPaths, takeBasePathOff, withBasePath } from "./base-path";

const config = { basePath: "/stats" };
const paths: ReadonlySet<string> = new Set(["/stats", "/app"]);

/** The path and query that are left of a request. */
function left(address: string, accept = "*/*"): string {
  const request = new Request(`http://localhost:3000${address}`, { headers: { accept } });
  takeBasePathOff(config, request, paths);
  return request.url.replace("http://localhost:3000", "");
}

describe("a request", () => {
  test.each([
    ["/stats/app", "/app"],
    ["/stats/", "/"],
    ["/stats/?a=/stats/b", "/?a=/stats/b"],
    ["/stats/stats?project=a", "/stats?project=a"],
    ["/app", "/app"],
    ["/statsfoo", "/statsfoo"],
    ["/stats/stats/stats", "/stats/stats"],
    ["/.well-known/oauth-authorization-server/stats", "/.well-known/oauth-authorization-server"],
    [
      "/.well-known/oauth-protected-resource/stats/mcp",
      "/.well-known/oauth-protected-resource/mcp",
    ],
    ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp"],
    ["/stats/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server"],
    [
      "/.well-known/oauth-authorization-server/statsfoo",
      "/.well-known/oauth-authorization-server/statsfoo",
    ],
  ])("for %s is one for %s", (address, expected) => {
    expect(left(address)).toBe(expected);
  });

  test("for the base path itself is a program's, when the server answers that path, or a person's", () => {
    expect(left("/stats?project=a")).toBe("/stats?project=a");
    expect(left("/stats", "text/html,*/*;q=0.8")).toBe("/");
  });

  test("stays as it is on a server at a root", () => {
    const request = new Request("http://localhost:3000/stats/app");
    takeBasePathOff({ basePath: "" }, request, paths);
    expect(Object.hasOwn(request, "url")).toBe(false);
  });
});

describe("an answer", () => {
  const based = async (body: string, headers: Readonly<Record<string, string>>) => {
    const response = await withBasePath(config, new Response(body, { status: 201, headers }));
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const html = { "content-type": "text/html; charset=utf-8" };

  test("leads to addresses below the path, and to other sites as before", async () => {
    for (const [location, expected] of [
      ["/app?new", "/stats/app?new"],
      ["//evil.example/", "//evil.example/"],
      ["https://example.com/stats/app", "https://example.com/stats/app"],
      ["app", "app"],
    ] as const) {
      const answer = await based("", { location });
      expect(answer.headers.get("location")).toBe(expected);
    }
  });

  test("that is a page has the path in every address of its own", async () => {
    const page =
      '<html lang="en"><a href="/app">a</a><script src="/app/x.js"></script><form method="post" action="/login">' +
      '<a href="//other">b</a><a href="https://other/">c</a><a href="docs">d</a><p>&quot; href="/quoted"</p>';
    const { status, text } = await based(page, html);
    expect(status).toBe(201);
    expect(text).toBe(
      '<html lang="en" data-base="/stats"><a href="/stats/app">a</a><script src="/stats/app/x.js"></script>' +
        '<form method="post" action="/stats/login"><a href="//other">b</a><a href="https://other/">c</a>' +
        '<a href="docs">d</a><p>&quot; href="/stats/quoted"</p>',
    );
    expect(htmlWithBasePath({ basePath: "" }, page)).toBe(page);
  });

  test("that is no page, or is one of the documentation, stays as it is", async () => {
    const text = '<a href="/app">';
    expect((await based(text, { "content-type": "application/json" })).text).toBe(text);
    expect((await based(text, { ...html, etag: '"1"' })).text).toBe(text);
  });
});

test("a base path under which the server has paths of its own is refused", () => {
  expect(() => refuseOwnPaths({ basePath: "/app" }, ["/app/settings"])).toThrow(
    "PUBLIC_URL has the path /app, but Sightline itself answers /app/settings. Choose another path.",
  );
  expect(() => refuseOwnPaths({ basePath: "/stats" }, ["/stats", "/statsfoo/a"])).not.toThrow();
  expect(() => refuseOwnPaths({ basePath: "" }, ["/app"])).not.toThrow();
});
