import { afterAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { ApiError } from "../../domain/errors";
import { type Network, requestAt } from "./network";
import { fetchPage } from "./page-fetch";

const home = "93.184.216.34";
const bytesMax = 64 * 1024;
/** Time enough for whatever answers at all, however busy the machine is. */
const rules = { allowHosts: [], requestMsMax: 50_000, bytesMax };
/** These rules are for answers that never end. */
const hurried = { ...rules, requestMsMax: 400 };
const html = { "content-type": "text/html; charset=utf-8" };
const to = (location: string, status = 302): Response =>
  new Response(null, { status, headers: { location } });
const bomb = gzipSync(Buffer.alloc(200 * bytesMax));

/** Each path misbehaves in a way of its own. */
const behaviours: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  "/": ({ headers }) =>
    new Response(JSON.stringify(Object.fromEntries(headers)), { headers: html }),
  "/cookie": () =>
    new Response(null, { status: 302, headers: { location: "/", "set-cookie": "id=1; Path=/" } }),
  "/gzip": () =>
    new Response(gzipSync("<p>small"), { headers: { ...html, "content-encoding": "gzip" } }),
  "/inward": () => to("http://10.0.0.1/"),
  "/loopback": () => to("http://localhost/"),
  "/port": () => to("http://site.example.com:6379/"),
  "/file": () => to("file:///etc/passwd"),
  "/secret": () => to("http://me:secret@site.example.com/"),
  "/elsewhere": () => to("http://other.example.com/"),
  "/subdomain": () => to("http://internal.site.example.com/"),
  "/www": () => to("http://www.site.example.com/gzip", 301),
  "/round": () => to("/round"),
  "/three": () => to("/two"),
  "/two": () => to("/one", 307),
  "/one": () => to("/gzip", 308),
  "/four": () => to("/three"),
  "/longest": () => to(`/gzip?${"q".repeat(2_000 - "http://site.example.com/gzip?".length)}`),
  "/longer": () => to(`/gzip?${"q".repeat(2_001 - "http://site.example.com/gzip?".length)}`),
  "/endless": () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(16 * 1024)),
      }),
      { headers: html },
    ),
  "/slow": () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(100);
          controller.enqueue(new Uint8Array(1));
        },
      }),
      { headers: html },
    ),
  "/silent": () => new Promise<never>(() => undefined),
  "/bomb": () => new Response(bomb, { headers: { ...html, "content-encoding": "gzip" } }),
  "/double": () =>
    new Response(gzipSync(bomb), { headers: { ...html, "content-encoding": "gzip, gzip" } }),
  "/spoiled": () =>
    new Response("no gzip at all", { headers: { ...html, "content-encoding": "gzip" } }),
  "/brotli": () => new Response("x", { headers: { ...html, "content-encoding": "br" } }),
  "/image": () => new Response("x", { headers: { "content-type": "image/png" } }),
  "/json": () => new Response("{}", { headers: { "content-type": "application/json" } }),
  "/untyped": () => new Response(new Uint8Array(4)),
  "/missing": () => new Response("gone", { status: 404, headers: html }),
  "/fault": () => new Response("fault", { status: 500, headers: html }),
  "/nowhere": () => new Response(null, { status: 302 }),
};

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: (request) => {
    asked.push(request.headers.get("host") ?? "");
    return (
      behaviours[new URL(request.url).pathname]?.(request) ?? new Response("?", { status: 404 })
    );
  },
});
const asked: string[] = [];
afterAll(() => server.stop(true));

/** Connections to the public address of the site end at the server above, and those to any other fail the test. */
function network(resolve: (hostname: string) => readonly string[] = () => [home]): Network {
  return {
    resolve: async (hostname) => resolve(hostname),
    request: (url, address, signal) => {
      expect(address).toBe(home);
      return requestAt(url, { address: "127.0.0.1", port: String(server.port) }, signal);
    },
  };
}

async function outcome(path: string, way = network(), held = rules): Promise<string> {
  const url = new URL(`http://site.example.com${path}`);
  const wanted = { types: ["text/html"], signal: new AbortController().signal };
  try {
    const { bytes } = await fetchPage(way, url, held, wanted);
    return new TextDecoder().decode(bytes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.code} ${error.message}`;
  }
}

test("it comes as what it is, and brings nothing that it knows of anybody", async () => {
  const headers = JSON.parse(await outcome("/"));
  expect(headers).toEqual({
    accept: "text/html",
    "accept-encoding": "gzip",
    host: "site.example.com",
    "user-agent": "SightlineScanner/1.0",
  });
  expect(await outcome("/gzip")).toBe("<p>small");
  // A cookie that came with a redirect is not brought along.
  expect(JSON.parse(await outcome("/cookie"))).toEqual(headers);
});

describe("a redirect is followed by hand", () => {
  test.each(["/inward", "/loopback", "/port", "/file", "/secret", "/elsewhere", "/subdomain"])(
    "%s is refused",
    async (path) => {
      const before = asked.length;
      expect(await outcome(path)).toStartWith("UNSAFE_URL The site redirects to ");
      expect(asked.slice(before)).toEqual(["site.example.com"]);
    },
  );

  test("to the www. counterpart, and three times at most", async () => {
    expect(await outcome("/www")).toBe("<p>small");
    expect(await outcome("/three")).toBe("<p>small");
    expect(await outcome("/four")).toStartWith("UNSAFE_URL The site redirects more than 3 times");
    expect(await outcome("/round")).toStartWith("UNSAFE_URL The site redirects more than 3 times");
  });

  test("to an address of 2,000 characters at most", async () => {
    expect(await outcome("/longest")).toBe("<p>small");
    expect(await outcome("/longer")).toStartWith(
      "UNSAFE_URL The site redirects to an invalid address, or",
    );
  });

  test("and a name that answers differently the second time is checked the second time", async () => {
    const answers = [[home], ["127.0.0.1"]];
    const before = asked.length;
    const rebinding = network(() => answers.shift() ?? []);
    expect(await outcome("/three", rebinding)).toStartWith("UNSAFE_URL The site has an address");
    expect(asked.length - before).toBe(1);
  });

  test("and one name is looked up once for one connection", async () => {
    let looked = 0;
    const counted = network(() => {
      looked += 1;
      return looked === 1 ? [home] : ["127.0.0.1"];
    });
    expect(await outcome("/gzip", counted)).toBe("<p>small");
    expect(looked).toBe(1);
  });
});

describe("what a server sends is bounded", () => {
  test.each([
    ["/endless", "sends more than 65536 bytes"],
    ["/bomb", "sends more than 65536 bytes"],
    ["/double", "a compression other than gzip"],
    ["/spoiled", "compressed response is damaged"],
    ["/brotli", "a compression other than gzip"],
    ["/image", "content type"],
    ["/json", "content type"],
    ["/untyped", "content type"],
    ["/missing", "status 404"],
    ["/fault", "status 500"],
    ["/nowhere", "status 302"],
  ])("%s: %s", async (path, why) => {
    const answer = await outcome(path);
    expect(answer).toStartWith("SCAN_FAILED ");
    expect(answer).toContain(why);
  });

  // Whoever waits for the time to be up waits beside the others.
  test.concurrent.each(["/slow", "/silent"])("%s in time", async (path) => {
    expect(await outcome(path, network(), hurried)).toBe(
      "SCAN_FAILED The scan could not read the site: it did not respond in time.",
    );
  });

  test.concurrent("a resolver that never answers in time", async () => {
    const silent = { ...network(), resolve: () => new Promise<never>(() => undefined) };
    expect(await outcome("/", silent, hurried)).toContain("did not respond in time");
  });
});

describe("what is no HTTP, or never ends, is given up", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
  test.concurrent.each([
    ["endless headers", head, `X-A: ${"a".repeat(200)}\r\n`],
    ["one endless header", `${head}X-A: `, "a".repeat(10_000)],
    ["endless early hints", "", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"],
    [
      "an endless head of a chunk",
      `${head}Transfer-Encoding: chunked\r\n\r\n1;`,
      "a".repeat(10_000),
    ],
    ["no HTTP", "\0\x01 nothing\r\n\r\n", "\r\n"],
  ])("%s", async (_, begin, endless) => {
    const raw = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket) => {
          socket.write(begin);
          socket.write(endless.repeat(50));
        },
        drain: (socket) => {
          socket.write(endless.repeat(50));
        },
      },
    });
    const place = { address: "127.0.0.1", port: String(raw.port) };
    const toRaw = {
      ...network(),
      request: (url: URL, _: string, signal: AbortSignal) => requestAt(url, place, signal),
    };
    const answer = await outcome("/", toRaw, hurried);
    raw.stop(true);
    expect(answer).toStartWith("SCAN_FAILED ");
    expect(answer).toMatch(/cannot connect|in time/);
  });
});

test("the certificate must be of the name, although the connection goes to an address", async () => {
  const place = new URL("../../../test/scans/tls/", import.meta.url);
  const file = (name: string): string => Bun.fileURLToPath(new URL(name, place));
  const secure = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { key: Bun.file(file("key.pem")), cert: Bun.file(file("certificate.pem")) },
    fetch: ({ headers }) => new Response(headers.get("host"), { headers: html }),
  });
  const asking = Bun.spawn(
    [
      process.execPath,
      file("ask.ts"),
      String(secure.port),
      "other.example.org",
      "site.example.com",
    ],
    { env: { NODE_EXTRA_CA_CERTS: file("certificate.pem") } },
  );
  const said = await new Response(asking.stdout).text();
  expect(said).toBe(
    "other.example.org: other.example.org\nsite.example.com: ERR_TLS_CERT_ALTNAME_INVALID\n",
  );
  await secure.stop(true);
});
