import { afterAll, expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { ClickHouse, ClickHouseRefused, ClickHouseUnreachable } from "./client";

const password = "of this ClickHouse alone";
const asked: Request[] = [];
const elsewhere = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => {
    asked.push(request);
    return new Response("");
  },
});
let answer = (): Response => new Response("");
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => answer() });
const clickhouse = new ClickHouse({
  url: `http://127.0.0.1:${server.port}`,
  database: "sightline",
  user: "sightline",
  password,
  certificates: null,
  cluster: null,
});
afterAll(async () => {
  await server.stop(true);
  await elsewhere.stop(true);
});

async function failureOfAsking(): Promise<unknown> {
  try {
    await clickhouse.rows("select 1");
  } catch (error) {
    return error;
  }
  return null;
}

test.each([301, 302, 307, 308])(
  "a redirect by %i is not followed: nobody else is sent the password",
  async (status) => {
    answer = () => new Response("", { status, headers: { location: elsewhere.url.href } });
    expect(await failureOfAsking()).toBeInstanceOf(ClickHouseUnreachable);
    expect(asked).toEqual([]);
  },
);

test("what ClickHouse says of a refusal is in no message, as it may repeat what visitors sent", async () => {
  const headers = { "x-clickhouse-exception-code": "241" };
  answer = () => new Response("Cannot parse: text of a visitor", { status: 500, headers });
  const error = await failureOfAsking();
  expect(error).toBeInstanceOf(ClickHouseRefused);
  expect((error as ClickHouseRefused).code).toBe(241);
  expect(String(error)).not.toContain("visitor");
});

test("no statement is lost when ClickHouse closes a connection that was idle", async () => {
  // This server closes a connection at the moment at which the client uses it again.
  const closing = createServer((socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n");
      socket.once("data", () => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => closing.listen(0, "127.0.0.1", resolve));
  const { port } = closing.address() as AddressInfo;
  const place = { database: "sightline", user: "sightline", password, certificates: null };
  const client = new ClickHouse({ ...place, url: `http://127.0.0.1:${port}`, cluster: null });
  try {
    for (let i = 0; i < 3; i++) {
      expect(await client.rows("select 1")).toEqual([]);
      await client.run("create table if not exists t");
      await client.insert("t", new Uint8Array(1));
    }
  } finally {
    closing.close();
  }
});
