import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { createProject, setUpAccount } from "../support/server/account";
import { Connection, requestText } from "../support/server/connection";
import { removeFolder, type Server, startServer, temporaryFolder } from "../support/server/server";

const descriptorsMax = 120;
/** The threads of a server start a moment after it. */
const startedMs = 500;
const dataDir = temporaryFolder();
let server: Server;
const held: Socket[] = [];

beforeAll(async () => {
  server = await startServer({
    dataDir,
    env: { DEMO_ENABLED: "false" },
    wrapper: ["sh", "-c", `ulimit -n ${descriptorsMax}; exec "$@"`, "sh"],
  });
});
afterAll(async () => {
  for (const socket of held) socket.destroy();
  await server.stop();
  removeFolder(dataDir);
});

test("the first read is answered while clients hold all file descriptors", async () => {
  const key = await setUpAccount(server.url);
  await createProject(server.url, key, "shop");
  await Bun.sleep(startedMs);
  const connection = await Connection.open(server.url);
  const read = () =>
    connection.send(requestText("GET", "/stats?project=shop", { "X-API-Key": key }));
  expect((await connection.send(requestText("GET", "/health/ready", {}))).status).toBe(200);
  for (let client = 0; client < descriptorsMax; client++) {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("error", () => socket.destroy());
    // A head that does not end.
    socket.write("GET / HTTP/1.1\r\nX-Slow: ");
    held.push(socket);
  }
  await Bun.sleep(startedMs);
  expect((await read()).status).toBe(200);
  expect(server.process.exitCode).toBeNull();
});
