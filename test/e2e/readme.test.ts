import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { login, ownOrigin } from "../support/server/account";
import {
  ask,
  executable,
  freePort,
  launch,
  removeFolder,
  type Server,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { textOf } from "../support/suite/sources";

/**
 * The README as its reader runs it: every block of shell commands in its order, in one folder, with the variables that
 * the blocks before have set and no others. Only the server's port is another.
 */
const folder = temporaryFolder();
const dataDir = join(folder, "data");
const email = "you@example.com";
const { password } = login;
const readme = textOf("README.md");
const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);

/** What needs a registry of packages or a container engine, and what `serve` has a test of its own for. */
const isOfAnotherTest = (block: string): boolean => /^npm |sightline serve/m.test(block);

let server: Server;
/** What the blocks so far have printed, and the shell's variables after them. */
let printed = "";
let variables = "";

beforeAll(async () => {
  symlinkSync(dirname(executable), join(folder, "dist"));
  server = await startServer({ dataDir });
});
afterAll(async () => {
  await server.kill();
  removeFolder(folder);
});

describe("the README's commands, in the order of the README", () => {
  for (const [index, block] of blocks.entries()) {
    if (isOfAnotherTest(block)) continue;
    test(`block ${index + 1}: ${block.split("\n")[0]}`, async () => {
      const answer = await run(block);
      expect(answer).not.toContain('"error":');
      if (block.includes("/track")) expect(answer).toContain('"queued":true');
    });
  }

  test("and the event that was sent is in the numbers that were asked for", async () => {
    const command = `curl -s "http://localhost:3000/stats?project=my-shop" -H "X-API-Key: $KEY"`;
    const { totals } = JSON.parse(await run(command));
    expect(totals).toEqual({ unique_users: 1, total_events: 1, visitors: 0 });
  });

  test("are all that there are, but for three", () => {
    expect(blocks.length).toBeGreaterThan(12);
    expect(blocks.filter(isOfAnotherTest)).toHaveLength(3);
  });
});

test("the server behind a proxy starts as it is written", async () => {
  const [block = "", ...others] = blocks.filter((one) => one.includes("sightline serve"));
  expect(others).toEqual([]);
  const [, assigned = ""] = /^(.*?) \.\/dist\/sightline serve$/m.exec(block) ?? [];
  const env = Object.fromEntries(assigned.split(" ").map((one) => one.split("=")));
  expect(Object.keys(env)).toContain("PUBLIC_URL");
  const own = launch({ dataDir: join(folder, "other"), env: { ...env, PORT: String(freePort()) } });
  await eventually(() => {
    expect(own.output()).toContain("answers on port");
    expect(own.output()).toContain(`: ${env.PUBLIC_URL}\n`);
  });
  expect(await own.stop()).toBe(0);
});

/** Runs commands as a reader does who stops at the first that fails, or that uses a variable which has no value. */
async function run(commands: string): Promise<string> {
  const script = `set -eu
${variables}
${commands.replaceAll("http://localhost:3000", server.url)}
echo "@@ variables"
set | grep -E "^(KEY|TOKEN|DEMO_TOKEN|REQUEST|FINISH_CODE|ACCESS_TOKEN|BLOG_TOKEN|EXPERIMENT)="`;
  const child = Bun.spawn(["sh", "-c", `${script} || true`], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", DATA_DIR: dataDir, PORT: new URL(server.url).port },
    stdin: Buffer.from(`${await typedFor(commands)}\n`),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const [answer = "", left] = output.split("@@ variables\n");
  if (left === undefined) throw new Error(`This failed: ${commands}\n${output}${complaints}`);
  variables = left;
  printed += answer;
  return answer;
}

/** What a person types or pastes. */
async function typedFor(commands: string): Promise<string> {
  if (commands.includes("sightline setup")) return password;
  if (commands.includes("read -r KEY")) return /aak_[0-9a-f]{48}/.exec(printed)?.[0] ?? "";
  return commands.includes("read -r FINISH_CODE") ? approve() : "";
}

/** The person opens the address that the block before has printed, logs in and approves. */
async function approve(): Promise<string> {
  const [path = ""] = /\/agent-sessions\/authorize\/req_\w+/.exec(printed) ?? [];
  const logged = await ask(server.url, "POST", "/auth/login", {}, { email, password });
  const Cookie = logged.headers.get("set-cookie")?.split(";")[0] ?? "";
  const page = await ask(server.url, "POST", `${path}/approve`, { Cookie, Origin: ownOrigin });
  return /aae_[0-9a-f]{48}/.exec(page.body)?.[0] ?? "";
}
