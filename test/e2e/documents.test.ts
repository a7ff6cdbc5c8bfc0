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
 * The README and the pages of the documentation as their readers run them: every block of shell commands in its order,
 * in one folder, with the variables that the blocks before have set and no others. Only the server's port is another.
 * The pages come in the order in which the first page lists them.
 */
const index = textOf("src/docs/index.md");
const listed = [...index.matchAll(/\]\(([^)#]+\.md)/g)].map(([, page = ""]) => `src/docs/${page}`);
const pages = [...new Set(listed)];
const email = "you@example.com";
const { password } = login;

interface Block {
  readonly path: string;
  readonly commands: string;
}
const blocksOf = (path: string): readonly Block[] =>
  [...textOf(path).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, commands = ""]) => ({
    path,
    commands,
  }));

/**
 * What needs a registry of packages, a container engine, a mail server or another product, and what `serve` has a test
 * of its own for.
 */
const isOfAnotherTest = ({ commands }: Block): boolean =>
  /^npm |\bdocker |sightline (serve|mail-test)|^(psql|bq|gzip) |matomo\.example|mixpanel\.com/m.test(
    commands,
  );

/** One reader's machine. */
class Reader {
  readonly folder = temporaryFolder();
  readonly dataDir = join(this.folder, "data");
  #server: Server | null = null;
  /** What the blocks so far have printed, and the shell's variables after them. */
  #printed = "";
  #variables = "";

  get server(): Server {
    if (this.#server === null) throw new Error("The server was not started.");
    return this.#server;
  }
  async start(): Promise<void> {
    symlinkSync(dirname(executable), join(this.folder, "dist"));
    this.#server = await startServer({ dataDir: this.dataDir });
  }
  async end(): Promise<void> {
    await this.#server?.kill();
    removeFolder(this.folder);
  }

  /** Runs commands as somebody does who stops at the first that fails, or that uses a variable without a value. */
  async run(commands: string): Promise<string> {
    const script = `set -eu
${this.#variables}
${commands.replaceAll("http://localhost:3000", this.server.url)}
echo "@@ variables"
set | grep -E "^(KEY|TOKEN|DEMO_TOKEN|REQUEST|FINISH_CODE|ACCESS_TOKEN|BLOG_TOKEN|EXPERIMENT|IMPORT)="`;
    const { PATH = "" } = process.env;
    const child = Bun.spawn(["sh", "-c", `${script} || true`], {
      cwd: this.folder,
      env: { PATH, DATA_DIR: this.dataDir, PORT: new URL(this.server.url).port },
      stdin: Buffer.from(`${await this.#typedFor(commands)}\n`),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, complaints] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    const [answer = "", left] = output.split("@@ variables\n");
    if (left === undefined) throw new Error(`This failed: ${commands}\n${output}${complaints}`);
    this.#variables = left;
    this.#printed += answer;
    return answer;
  }

  /** What a person types or pastes. */
  async #typedFor(commands: string): Promise<string> {
    if (commands.includes("sightline setup")) return password;
    if (commands.includes("read -r KEY")) {
      return /aak_[0-9a-f]{48}/.exec(this.#printed)?.[0] ?? this.#keyOfThePages();
    }
    return commands.includes("read -r FINISH_CODE") ? this.#approve() : "";
  }

  /** The person sets the server up in the browser, and creates the key and the project there. */
  async #keyOfThePages(): Promise<string> {
    const { url } = this.server;
    const [, setup_token] = /\/setup\?token=(\w+)/.exec(this.server.output()) ?? [];
    const made = await ask(url, "POST", "/auth/setup", {}, { email, password, setup_token });
    const Cookie = made.headers.get("set-cookie")?.split(";")[0] ?? "";
    const browser = { Cookie, Origin: ownOrigin };
    const project = { name: "my-shop", domain: "shop.example.com" };
    await ask(url, "POST", "/projects", browser, project);
    const { body } = await ask(url, "POST", "/account/api-key", browser);
    return (JSON.parse(body) as { readonly api_key: string }).api_key;
  }

  /** The person opens the address that the block before has printed, logs in and approves. */
  async #approve(): Promise<string> {
    const [path = ""] = /\/agent-sessions\/authorize\/req_\w+/.exec(this.#printed) ?? [];
    const logged = await ask(this.server.url, "POST", "/auth/login", {}, { email, password });
    const Cookie = logged.headers.get("set-cookie")?.split(";")[0] ?? "";
    const browser = { Cookie, Origin: ownOrigin };
    const page = await ask(this.server.url, "POST", `${path}/approve`, browser);
    return /aae_[0-9a-f]{48}/.exec(page.body)?.[0] ?? "";
  }
}

const runAll = (reader: Reader, paths: readonly string[]): void => {
  for (const block of paths.flatMap(blocksOf)) {
    if (isOfAnotherTest(block)) continue;
    const { path, commands } = block;
    test(`${path}: ${commands.split("\n")[0]}`, async () => {
      const answer = await reader.run(commands);
      expect(answer).not.toContain('"error":');
      if (commands.includes("/track")) expect(answer).toContain('"queued":true');
    });
  }
};

describe("the README's commands, in their order", () => {
  const reader = new Reader();
  beforeAll(() => reader.start());
  afterAll(() => reader.end());
  runAll(reader, ["README.md"]);
});

describe("the commands of the documentation, page after page", () => {
  const reader = new Reader();
  beforeAll(() => reader.start());
  afterAll(() => reader.end());
  runAll(reader, pages);

  test("and the events that were sent are in the numbers that were asked for", async () => {
    const command = `curl -s "http://localhost:3000/stats?project=my-shop" -H "X-API-Key: $KEY"`;
    const { totals } = JSON.parse(await reader.run(command));
    expect(totals).toEqual({ unique_users: 1, total_events: 2, visitors: 0 });
  });
});

test("those are all that there are, but for a few", () => {
  const blocks = ["README.md", ...pages].flatMap(blocksOf);
  expect(blocks.length).toBeGreaterThan(50);
  const others = Map.groupBy(blocks.filter(isOfAnotherTest), ({ path }) => path);
  const counts = [...others].map(([path, { length }]) => [path.replace("src/docs/", ""), length]);
  expect(Object.fromEntries(counts)).toEqual({
    ...{ "README.md": 3, "getting-started.md": 1, "guides/history.md": 5 },
    ...{ "operate/install.md": 5, "operate/mail.md": 1, "operate/backup.md": 2 },
    "operate/proxy.md": 1,
  });
});

test("the server behind a proxy starts as it is written", async () => {
  const { folder } = new Reader();
  const blocks = ["README.md", "src/docs/operate/install.md"].flatMap(blocksOf);
  const lines = blocks.flatMap(({ commands }) =>
    [...commands.matchAll(/^(.*?) \.\/dist\/sightline serve$/gm)].map(([, assigned]) => assigned),
  );
  expect([lines.length, new Set(lines).size]).toEqual([2, 1]);
  const [assigned = ""] = lines;
  const env = Object.fromEntries(assigned.split(" ").map((one) => one.split("=")));
  expect(Object.keys(env)).toContain("PUBLIC_URL");
  const own = launch({ dataDir: join(folder, "data"), env: { ...env, PORT: String(freePort()) } });
  await eventually(() => {
    expect(own.output()).toContain("answers on port");
    expect(own.output()).toContain(`: ${env.PUBLIC_URL}\n`);
  });
  expect(await own.stop()).toBe(0);
  removeFolder(folder);
});
