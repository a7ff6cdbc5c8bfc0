import { afterEach, beforeEach, expect, test } from "bun:test";
import { app, closeApp, openApp, person, read, scan, site } from "../../../test/scans/scan-calls";
import { savedSites } from "../../../test/scans/sites";
import { type Json, testApp } from "../../../test/support/app/app";

beforeEach(openApp);
afterEach(closeApp);

/** A full scan of a shop of two pages, by the owner of a server with a public address. */
async function scanned(home: (snippet: string) => string, other: (snippet: string) => string) {
  const network = savedSites();
  const open = await testApp({ PUBLIC_URL: "https://stats.example.org" }, network);
  const { token } = await open.makeProject("shop");
  const snippet =
    'defer src="https://stats.example.org/tracker.js" data-project="shop" ' +
    `data-token="${token}"`;
  network.request = savedSites({
    "https://shop.example.com/": `<script ${home(snippet)}></script><h1>S</h1><a href="/b">B</a>`,
    "https://shop.example.com/b": `<script ${other(snippet)}></script><h1>B</h1>`,
  }).request;
  const body = { url: "shop.example.com", full: true };
  const made = await open.send("POST", "/website-scans", { body, key: open.key });
  const answer = (await made.json()) as Json;
  await open.close();
  const { problems = [] } = (answer.installation ?? {}) as { problems?: { code: string }[] };
  return { answer, codes: problems.map(({ code }) => code) };
}
const same = (snippet: string): string => snippet;
const from = (host: string) => (snippet: string) => snippet.replace("stats.example.org", host);

test("a snippet that loads from another server is told where events have to go", async () => {
  expect((await scanned(same, same)).codes).toEqual(["NO_EVENTS_YET"]);
  const elsewhere = from("old.example.org");
  expect((await scanned(elsewhere, elsewhere)).codes).toEqual(["OTHER_SERVER", "NO_EVENTS_YET"]);
  // A proxy of the site's own passes events on.
  const proxied = from("shop.example.com");
  expect((await scanned(proxied, proxied)).codes).toEqual(["NO_EVENTS_YET"]);
});

test("what has the name of our script and is none is no snippet, and none that is answers with a fault", async () => {
  const long = `https://${"a".repeat(200)}.xn--bcher-kva.example/${"b".repeat(250)}/tracker.js`;
  for (const src of ["data:/tracker.js", "blob:https://stats.example.org/tracker.js"]) {
    const tag = (snippet: string) => snippet.replace(/src="[^"]*"/, `src="${src}"`);
    expect((await scanned(tag, tag)).answer).not.toHaveProperty("installation");
  }
  const tag = (snippet: string) => snippet.replace(/src="[^"]*"/, `src="${long}"`);
  const { answer, codes } = await scanned(tag, tag);
  expect(codes).toEqual(["OTHER_SERVER", "NO_EVENTS_YET"]);
  // A page is quoted with 80 characters, as in any other place.
  const { snippet } = answer.installation as { snippet: string };
  expect(snippet).toContain(`src="${long.slice(0, 80)}"`);
});

test("a snippet that is on some of the pages is told on how many", async () => {
  const { answer, codes } = await scanned(same, () => 'src="/b.js"');
  expect(codes).toEqual(["SNIPPET_ON_SOME_PAGES", "NO_EVENTS_YET"]);
  expect(JSON.stringify(answer.installation)).toContain("1 of the 2 scanned pages");
});

test("what is installed is told to the owner of the scan alone", async () => {
  const { token } = await app.makeProject("shop");
  const page = `<script src="/tracker.js" data-project="shop" data-token="${token}"></script>`;
  const { network } = app.deps;
  network.request = savedSites({ [`https://${site}/`]: `${page}<h1>S</h1>` }).request;
  const { body } = await scan({ url: site });
  const id = body.analysis_id;
  const resume = `?resume_token=${body.resume_token}`;
  expect(body).not.toHaveProperty("installation");
  const other = await person();
  expect((await read(id, resume, other)).body).not.toHaveProperty("installation");
});

test("what an agent is given of a preview made for somebody else names calls that it can make", async () => {
  const first = await scan({ url: site });
  const again = await scan({ url: site });
  expect(again.body).toMatchObject({ cached: true, analysis_id: first.body.analysis_id });
  const { prompt } = again.body.agent_handoff as { prompt: string };
  expect(prompt).not.toContain(`/website-scans/${first.body.analysis_id}`);
  expect(prompt).not.toContain("source_scan_id");
  const [, url] = /POST \S+\/website-scans with \{"url": "([^"]+)"\}/.exec(prompt) ?? [];
  expect((await scan({ url })).body).toMatchObject({ cached: true, preview: first.body.preview });
});
