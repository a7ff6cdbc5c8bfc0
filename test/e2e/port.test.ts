import { afterAll, expect, test } from "bun:test";
import { ownOrigin } from "../support/account";
import { ask, launch, removeFolder, setupToken, temporaryFolder } from "../support/server";

const dataDir = temporaryFolder();
afterAll(() => removeFolder(dataDir));

test("PORT=0 takes any port, says which, and uses it in every address", async () => {
  const server = launch({ dataDir, env: { PORT: "0" } });
  const deadline = performance.now() + 20_000;
  let port = "";
  while (port === "" && performance.now() < deadline) {
    port = /answers on port (\d+): /.exec(server.output())?.[1] ?? "";
    await Bun.sleep(5);
  }
  expect(Number(port)).toBeGreaterThan(0);
  const base = `http://localhost:${port}`;
  expect(server.output()).toContain(`answers on port ${port}: ${base}\n`);
  expect(server.output()).toContain(`${base}/setup?token=${setupToken}\n`);
  const url = `http://127.0.0.1:${port}`;
  const started = await ask(
    url,
    "POST",
    "/agent-sessions/start",
    { Origin: ownOrigin },
    {
      ...{ client_type: "cli", mode: "detached" },
    },
  );
  expect(JSON.parse(started.body).authorize_url).toStartWith(`${base}/agent-sessions/`);
  expect(await server.stop()).toBe(0);
}, 30_000);
