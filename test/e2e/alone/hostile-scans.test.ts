import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { forgetMostMemory, memoryOf } from "../../load/memory";
import { setUpAccount } from "../../support/server/account";
import {
  ask,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../../support/server/server";
import { eventually } from "../../support/suite/eventually";

/** Pages that are written to stop the server that reads them. It goes on to answer everybody else. */
const healthMsMax = 500;
const scanMsMax = 20_000;
/** The server, and the thread that reads a page, while it does. */
const memoryMbMax = 400;

const dataDir = temporaryFolder();
const sites: Readonly<Record<string, { readonly page: string; readonly robots?: string }>> = {
  "base.example.test": {
    page: `<base href="/${"b".repeat(1_900_000)}/">${'<a href="x">x</a>'.repeat(2_000)}`,
  },
  "robots.example.test": {
    page: `<base href="/${"a".repeat(20_000)}/">${link(2_000)}`,
    robots: `User-agent: *\n${`Disallow: /${"*a".repeat(8)}b\n`.repeat(4_990)}`,
  },
  "links.example.test": {
    page: `<base href="/${"a".repeat(1_900)}/">${link(2_000)}`,
    robots: `User-agent: *\n${`Disallow: /*${"a".repeat(900)}b${"a".repeat(20)}\n`.repeat(500)}`,
  },
  "elements.example.test": { page: "<b></i>".repeat(280_000) },
  "attributes.example.test": { page: '<a x="y" '.repeat(220_000) },
  "forms.example.test": { page: "<form><input type=email placeholder=register>".repeat(40_000) },
};
const paths = Object.keys(sites);
function link(count: number): string {
  return Array.from({ length: count }, (_, at) => `<a href="x${at}">x</a>`).join("");
}

let server: Server;
let web: Bun.Server<undefined>;
let key: string;
let readersMost = 0;

beforeAll(async () => {
  web = Bun.serve({ port: 80, hostname: "127.0.0.1", fetch: answer });
  // Names of hosts are the machine's: the server gets a file of its own in a namespace of its own.
  const hosts = join(dataDir, "hosts");
  await Bun.write(hosts, `127.0.0.1 localhost ${paths.join(" ")}\n`);
  const shell = 'mount --bind "$0" /etc/hosts && exec "$@"';
  server = await startServer({
    dataDir: join(dataDir, "data"),
    env: { SCAN_ALLOW_HOSTS: paths.join(",") },
    wrapper: ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", shell, hosts],
  });
  key = await setUpAccount(server.url);
});
afterAll(async () => {
  await server?.kill();
  await web?.stop(true);
  removeFolder(dataDir);
});

function answer({ headers, url }: Request): Response {
  const site = sites[headers.get("host") ?? ""];
  const { pathname } = new URL(url);
  if (pathname === "/robots.txt")
    return new Response(site?.robots ?? "", { headers: { "content-type": "text/plain" } });
  return new Response(site?.page ?? "", { headers: { "content-type": "text/html" } });
}

/** The threads that read pages now. The system lists every thread of a process with its name. */
function siteReaders(): number {
  const tasks = `/proc/${server.process.pid}/task`;
  return readdirSync(tasks).filter((id) => nameOf(join(tasks, id)) === "site-reader").length;
}
/** A thread may end between the list and the look. */
function nameOf(task: string): string {
  try {
    return readFileSync(join(task, "comm"), "utf8").trim();
  } catch {
    return "";
  }
}

/** The longest that somebody waited for an answer while the work went on, in ms. */
async function longestWait(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) {
    const started = performance.now();
    expect((await ask(server.url, "GET", "/health")).status).toBe(200);
    longest = Math.max(longest, performance.now() - started);
    readersMost = Math.max(readersMost, siteReaders());
    await Bun.sleep(5);
  }
  await over;
  return longest;
}

test.each(paths)("while %s is scanned, others are answered", async (host) => {
  forgetMostMemory(server.process.pid);
  const started = performance.now();
  const scan = ask(
    server.url,
    "POST",
    "/website-scans",
    { "X-API-Key": key },
    {
      url: `http://${host}/`,
      full: true,
    },
  );
  const waitedMs = await longestWait(scan);
  const tookMs = performance.now() - started;
  const { mostMb } = memoryOf(server.process.pid);
  const figures = [waitedMs, tookMs, mostMb].map((one) => Math.round(one));
  process.stdout.write(
    `${host}: waited ${figures[0]} ms, scan ${figures[1]} ms, ${figures[2]} MB\n`,
  );
  expect((await scan).status).toBe(200);
  expect(waitedMs).toBeLessThan(healthMsMax);
  expect(tookMs).toBeLessThan(scanMsMax);
  expect(mostMb).toBeLessThan(memoryMbMax);
});

test("the threads of scans have ended with them", async () => {
  expect(readersMost).toBeGreaterThan(0);
  await eventually(() => expect(siteReaders()).toBe(0));
});
