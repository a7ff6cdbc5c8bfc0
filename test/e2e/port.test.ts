import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { tierLimits } from "../../src/domain/plan";
import { createProject, ownOrigin, setUpAccount } from "../support/server/account";
import { ask, launch, removeFolder, temporaryFolder } from "../support/server/server";
import { eventually } from "../support/suite/eventually";

const dataDir = temporaryFolder();
afterAll(() => removeFolder(dataDir));

test("PORT=0 takes any port, says which, and uses it in every address", async () => {
  const server = launch({ dataDir, env: { PORT: "0", DEFAULT_TIER: "free" } });
  const deadline = performance.now() + 50_000;
  let port = "";
  while (port === "" && performance.now() < deadline) {
    port = /answers on port (\d+): /.exec(server.output())?.[1] ?? "";
    await Bun.sleep(5);
  }
  expect(Number(port)).toBeGreaterThan(0);
  const base = `http://localhost:${port}`;
  await eventually(() => {
    expect(server.output()).toContain(`answers on port ${port}: ${base}\n`);
    expect(server.output()).toContain(`${base}/setup, with the token that SETUP_TOKEN has\n`);
  });
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
  expect(await upgradeUrlsOf(url)).toEqual(Array(3).fill(`${base}/account/billing`));
  expect(await server.stop()).toBe(0);
});

/** What each refusal of the free plan names: one project too many, a read of Pro, and one read too many. */
async function upgradeUrlsOf(url: string): Promise<unknown[]> {
  const headers = { "X-API-Key": await setUpAccount(url) };
  // The account that sets a server up has everything, so that the free plan has to be written here.
  const control = new Database(join(dataDir, "control.db"));
  control.run("update account set complimentary = 0, tier = 'free'");
  control.close();
  const { max_projects: projects, max_reads_per_month: reads } = tierLimits.free;
  for (let made = 0; made < projects; made++) {
    await createProject(url, headers["X-API-Key"], `p${made}`);
  }
  const refused = [
    await ask(url, "POST", "/projects", headers, { name: "more", domain: "https://example.com" }),
    await ask(url, "GET", "/insights?project=p0", headers),
  ];
  for (let n = 0; n < reads; n++) await ask(url, "GET", "/stats?project=p0", headers);
  refused.push(await ask(url, "GET", "/stats?project=p0", headers));
  return refused.map(({ body }) => JSON.parse(body).upgrade_url);
}
