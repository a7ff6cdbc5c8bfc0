import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { type TestApp, testApp } from "../../../test/support/app/app";

/** One request as it is written on the wire: Headers of a Request cannot hold what is tested here. */
let app: TestApp;
let port: number;
beforeAll(async () => {
  app = await testApp();
  port = Number(new URL(app.listen()).port);
});
afterAll(() => app.close());

const waitMsMax = 5_000;
function answerTo(path: string, ...hosts: readonly string[]): Promise<string> {
  const lines = hosts.map((host) => `Host: ${host}\r\n`).join("");
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(`GET ${path} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
    });
    socket.setTimeout(waitMsMax, () => socket.destroy());
    socket.on("data", (bytes) => {
      text += bytes;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}
const statusOf = async (path: string, ...hosts: readonly string[]): Promise<number> =>
  Number((await answerTo(path, ...hosts)).split(" ")[1]);

const paths = ["/health", "/tracker.js", "/login", "/nothing", "/stats?project=shop"];

test.each([
  ...["localhost", "stats.example.com:443", "127.0.0.1:3000", "[::1]", "[2001:db8::1]:80"],
  ...["a_b.internal", "XN--4GBRIM.example", "a.", "x:", "a:0", "a:65535", "[::1]:65535", ""],
])("Host: %s is taken", async (host) => {
  expect(await statusOf("/health", host)).toBe(200);
});

test.each([
  [["a", "b"]],
  [["a", "a"]],
  [["a b"]],
  [["a,b"]],
  [["a/b"]],
  [["user@a"]],
  [["[::1"]],
  [["a:80:80"]],
  [["a:http"]],
  [["a:65536"]],
  [["[::1]:99999"]],
  [["a:800000"]],
  [["a%20b"]],
  [["a%2Fb"]],
  [["\u00e4.example"]],
  [["<b>"]],
])("Host: %j is refused everywhere", async (hosts) => {
  for (const path of paths) {
    expect([path, await statusOf(path, ...hosts)]).toEqual([path, 400]);
  }
});

test("the refusal says what to send", async () => {
  const answer = await answerTo("/health", "a", "b");
  expect(answer).toContain('"error":"MISSING_FIELDS"');
  expect(answer).toContain("Send exactly one Host header");
});

test("without a Host header nothing is answered but 400", async () => {
  expect(await statusOf("/health")).toBe(400);
});
