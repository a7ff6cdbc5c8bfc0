import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { type Json, type TestApp, testApp } from "../support/app/app";
import { resultOf } from "../support/app/mcp";
import { filesIn } from "../support/suite/sources";

const baseUrl = "https://stats.example.com";
const llmsBytesMax = 8 * 1024;
const skillBytesMax = 16 * 1024;

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ PUBLIC_URL: baseUrl });
  const shop = await app.makeProject("shop");
  await app.track(shop, { event: "signup", session_id: "s", user_id: "u" });
});
afterAll(() => app.close());

const textOf = async (path: string): Promise<string> => {
  const answer = await app.send("GET", path);
  expect([path, answer.status]).toEqual([path, 200]);
  expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  return answer.text();
};

/** Whole requests: a line with a method and an address, and the JSON below it. */
const requestsIn = (text: string) =>
  [
    ...text.matchAll(/\b(GET|POST|PUT|PATCH) (https:\/\/[^\s`]+)(?:`\n {2}with `|\n)?(\{.*\})?/g),
  ].map(([, method = "", url = "", body]) => ({
    method,
    path: url.slice(baseUrl.length),
    body: body?.replace(/`$/, ""),
  }));

describe("/llms.txt", () => {
  test("has at most 8 KiB, and names this server in every address", async () => {
    const text = await textOf("/llms.txt");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(llmsBytesMax);
    expect(text.match(/https?:\/\/[\w.-]+/g)?.every((one) => one === baseUrl)).toBe(true);
    expect(text).not.toContain("owner@example.com");
  });

  test("lists the pages of the documentation as Markdown, but those two folders deep", async () => {
    const links = [...(await textOf("/llms.txt")).matchAll(/\]\((docs\/[^)]+)\)/g)];
    const listed = links.map(([, link]) => `src/${link}`);
    const files = filesIn("src/docs").filter((path) =>
      /^src\/docs\/([\w-]+\/)?[\w-]+\.md$/.test(path),
    );
    expect(listed.toSorted()).toEqual(
      [...files, "src/docs/internals/decisions/README.md"].toSorted(),
    );
    for (const [, link] of links) {
      const answer = await app.send("GET", `/${link}`);
      expect([link, answer.status, answer.headers.get("content-type")]).toEqual([
        ...[link, 200, "text/markdown; charset=utf-8"],
      ]);
    }
  });

  test("has ten calls and two tools, each of which is answered as it stands", async () => {
    const calls = requestsIn(await textOf("/llms.txt")).filter(
      ({ path }) => !/^\/(agent-sessions|demo)/.test(path),
    );
    expect(calls.length).toBe(12);
    for (const { method, path, body } of calls) {
      const sent = body === undefined ? {} : { body };
      const answer = await app.send(method, path, { key: app.key, ...sent });
      expect([method, path, answer.status]).toEqual([method, path, 200]);
      if (path !== "/mcp") continue;
      const { result } = (await answer.json()) as { result: Json };
      expect([body, result.isError]).toEqual([body, false]);
    }
  });

  test("is the answer of / to who names text before HTML", async () => {
    const text = await textOf("/llms.txt");
    const seen = async (accept: string) => {
      const answer = await app.send("GET", "/", { headers: { accept } });
      expect(answer.headers.get("vary")).toContain("accept");
      return answer.status === 302 ? answer.headers.get("location") : await answer.text();
    };
    for (const accept of [
      "text/markdown",
      "text/plain",
      "text/plain, */*",
      "text/markdown, text/html",
      "text/html;q=0.5, text/plain;q=0",
      "application/json, text/markdown;q=0.9, text/html;q=0.9",
    ]) {
      const expected = accept.includes("q=0,") || accept.endsWith("q=0") ? "/app" : text;
      expect([accept, await seen(accept)]).toEqual([accept, expected]);
    }
    for (const accept of [
      "",
      "*/*",
      "text/html",
      "text/html, text/markdown",
      "text/markdown;q=0.5, text/html",
      "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    ]) {
      expect([accept, await seen(accept)]).toEqual([accept, "/app"]);
    }
  });
});

describe("/skill.md", () => {
  test("has at most 16 KiB, its name first, and operations that there are", async () => {
    const text = await textOf("/skill.md");
    expect(text).toStartWith("---\nname: sightline\ndescription: ");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(skillBytesMax);
    const named = [...text.matchAll(/`((?:GET|POST|PUT|PATCH) \/[^`?]*)`/g)].map(([, one]) => one);
    const mounted = new Set<string>(app.operations.map(({ name }) => name));
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !mounted.has(name ?? ""))).toEqual([]);
  });

  test("is what the index names by its SHA-256, and the resource of MCP", async () => {
    const text = await textOf("/skill.md");
    const answer = await app.send("GET", "/.well-known/agent-skills/index.json");
    const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
    expect(await answer.json()).toMatchObject({
      $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      skills: [{ name: "sightline", type: "skill-md", url: `${baseUrl}/skill.md`, digest }],
    });
    const { contents } = await resultOf(app, "resources/read", { uri: "sightline://skill" });
    expect(contents).toEqual([{ uri: "sightline://skill", mimeType: "text/markdown", text }]);
  });
});

test("the texts say nothing of a demo that is switched off", async () => {
  const quiet = await testApp({ DEMO_ENABLED: "false" });
  const text = await (await quiet.send("GET", "/llms.txt")).text();
  expect(text).not.toContain("/demo/session");
  expect(await textOf("/llms.txt")).toContain("/demo/session");
  await quiet.close();
});
