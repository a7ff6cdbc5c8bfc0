import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setUpAccount } from "../support/account";
import { removeFolder, type Server, startServer, temporaryFolder } from "../support/server";
import { textOf } from "../support/sources";

const dataDir = temporaryFolder();
let server: Server;
const variables: Record<string, string> = { PATH: process.env.PATH ?? "" };

beforeAll(async () => {
  server = await startServer({ dataDir });
  variables.KEY = await setUpAccount(server.url);
});
afterAll(async () => {
  await server.kill();
  removeFolder(dataDir);
});

/** The shell blocks of the README that talk to a server, in order: a reader would run them one after the other. */
const blocks = [...textOf("README.md").matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .map(([, block = ""]) => block)
  .filter((block) => block.includes("curl"));

describe("the README's requests, in the order of the README", () => {
  test("there are some", () => {
    expect(blocks.length).toBeGreaterThanOrEqual(3);
  });

  for (const [index, block] of blocks.entries()) {
    for (const command of commandsOf(block)) {
      test(`block ${index + 1}: ${command.split("\n")[0]}`, async () => {
        const answer = run(command);
        expect(answer.error).toBeUndefined();
        if (answer.project_token !== undefined) variables.TOKEN = answer.project_token;
        if (answer.id?.startsWith("exp_")) variables.EXPERIMENT = answer.id;
        const demo = answer.agent_session?.access_token;
        if (demo !== undefined) variables.DEMO_TOKEN = demo;
        if (answer.auth_request_id !== undefined) variables.REQUEST = answer.auth_request_id;
        if (command.includes("/track")) expect(answer.queued).toBe(true);
      });
    }
  }

  test("and the event that was sent is in the numbers that were asked for", () => {
    const stats = run(`curl -s "http://localhost:3000/stats?project=my-shop" -H "X-API-Key: $KEY"`);
    expect(stats.totals).toEqual({ unique_users: 1, total_events: 1 });
  });
});

/** A command ends where the next one begins. Those that need a code out of a person's browser are left out. */
function commandsOf(block: string): string[] {
  return block
    .trim()
    .split(/\n(?=\w)/)
    .filter(
      (command) => command.startsWith("curl") && !/\$(FINISH_CODE|ACCESS_TOKEN)/.test(command),
    );
}

interface Answer {
  readonly error?: string;
  readonly id?: string;
  readonly auth_request_id?: string;
  readonly agent_session?: { readonly access_token: string };
  readonly queued?: boolean;
  readonly project_token?: string;
  readonly totals?: unknown;
}

function run(command: string): Answer {
  const here = command.replaceAll("http://localhost:3000", server.url);
  const { stdout, success } = Bun.spawnSync(["sh", "-c", here], { env: variables });
  if (!success) throw new Error(`This command failed: ${here}`);
  return JSON.parse(stdout.toString());
}
