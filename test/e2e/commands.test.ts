import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createProject, login, read, setUpAccount, userAgent } from "../support/server/account";
import {
  ask,
  removeFolder,
  runCommand,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

describe("sightline setup", () => {
  const dataDir = join(folder, "setup");
  const keyIn = (output: string): string => /\baak_[0-9a-f]{48}\b/.exec(output)?.[0] ?? "";

  test("beside a running server: makes the account, and the key it prints works at once", async () => {
    const server = await startServer({ dataDir });
    const made = await runCommand(["setup", "--email", login.email], {
      dataDir,
      input: `${login.password}\n`,
    });
    expect(made.output).toMatch(/\baak_[0-9a-f]{48}\b/);
    expect(made.exitCode).toBe(0);
    expect(made.output).not.toContain(login.password);
    const account = await read<{ email: string; is_admin: boolean }>(
      server.url,
      keyIn(made.output),
      "/account",
    );
    expect(account).toMatchObject({ email: login.email, is_admin: true });
    const cookie = await ask(server.url, "POST", "/auth/login", {}, login);
    expect(cookie.status).toBe(200);
    await server.stop();
  });

  test("a second account is refused, and no key is printed", async () => {
    const second = await runCommand(["setup", "--email", "other@example.com"], {
      dataDir,
      input: "another password\n",
    });
    expect(second.exitCode).toBe(1);
    expect(keyIn(second.output)).toBe("");
  });

  test("without a server and without a password: makes one, and shows it once", async () => {
    const empty = join(folder, "alone");
    const made = await runCommand(["setup", "--email", login.email], { dataDir: empty });
    expect(made.exitCode).toBe(0);
    const password = /password[^\n]*?:\s*(\S{10,})/i.exec(made.output)?.[1] ?? "";
    const server = await startServer({ dataDir: empty });
    const reply = await ask(
      server.url,
      "POST",
      "/auth/login",
      {},
      { email: login.email, password },
    );
    expect(reply.status).toBe(200);
    await server.stop();
  });
});

describe("sightline password", () => {
  const dataDir = join(folder, "password");

  test("beside a running server: the new one works at once, and what was logged in no more", async () => {
    const server = await startServer({ dataDir });
    await setUpAccount(server.url);
    const logIn = (password: string) =>
      ask(server.url, "POST", "/auth/login", {}, { email: login.email, password });
    const { headers } = await logIn(login.password);
    const Cookie = String(headers.get("set-cookie")).split(";", 1)[0] ?? "";
    expect((await ask(server.url, "GET", "/account", { Cookie })).status).toBe(200);
    const { exitCode, output } = await runCommand(["password", "--email", login.email], {
      dataDir,
      input: "quite another one\n",
    });
    expect([exitCode, output]).toEqual([
      0,
      expect.stringContaining(`${server.url.slice(-5)}/login`),
    ]);
    expect((await ask(server.url, "GET", "/account", { Cookie })).status).toBe(401);
    expect((await logIn(login.password)).status).toBe(401);
    expect((await logIn("quite another one")).status).toBe(200);
    const doctor = await runCommand(["doctor"], { dataDir });
    expect(doctor.output).toMatch(
      new RegExp(`server: running on this folder: http://\\S+${server.url.slice(-5)}\n`),
    );
    await server.stop();
  });

  test("ADMIN_EMAIL and ADMIN_PASSWORD on a server that is set up are told to do nothing", async () => {
    const env = { ADMIN_EMAIL: "admin@example.com", ADMIN_PASSWORD: "correct horse" };
    const server = await startServer({ dataDir, env });
    await eventually(() =>
      expect(server.output()).toMatch(/"level":"warn".*ADMIN_EMAIL and ADMIN_PASSWORD/),
    );
    await server.stop();
  });
});

/** The databases, and the folder of closed recordings. */
const wholeBackup = ["control.db", "events.db", "replays", "replays.db"];

describe("who may reach the data", () => {
  const permissive = ["sh", "-c", 'umask 000; exec "$@"', "sh"];
  const dataDir = join(folder, "private");
  const target = join(folder, "private-copy");
  const modes = (path: string): string[] =>
    ["", ...readdirSync(path)]
      .map((name) => `${name} ${(statSync(join(path, name)).mode & 0o777).toString(8)}`)
      .sort();

  test("its user alone, whatever the umask: every file of a server and of a backup", async () => {
    const server = await startServer({ dataDir, wrapper: permissive });
    await setUpAccount(server.url);
    mkdirSync(target, { mode: 0o777 });
    chmodSync(target, 0o777);
    const copied = await runCommand(["backup", target], { dataDir, wrapper: permissive });
    expect(copied.exitCode).toBe(0);
    const written = [
      ...["control.db", "events.db"].flatMap((name) => [name, `${name}-shm`, `${name}-wal`]),
      "lock.db",
    ];
    for (const name of written) expect(modes(dataDir)).toContain(`${name} 600`);
    expect(modes(dataDir).filter((line) => !line.endsWith(" 600"))).toEqual([" 700"]);
    const ofBackup = wholeBackup.map((name) => `${name} ${name.endsWith(".db") ? 600 : 700}`);
    expect(modes(target)).toEqual([" 700", ...ofBackup].sort());
    await server.stop();
  });

  test("doctor names what is wider, and the next start narrows it", async () => {
    chmodSync(dataDir, 0o755);
    chmodSync(join(dataDir, "control.db"), 0o640);
    const { exitCode, output } = await runCommand(["doctor"], { dataDir });
    expect([exitCode, output]).toEqual([
      1,
      expect.stringContaining(`${dataDir} (0755), ${join(dataDir, "control.db")} (0640)`),
    ]);
    await (await startServer({ dataDir })).stop();
    const after = await runCommand(["doctor"], { dataDir });
    expect([after.exitCode, after.output]).toEqual([
      0,
      expect.stringContaining("No problems found"),
    ]);
  });

  test("doctor on a folder that is not there says so, and makes none", async () => {
    const missing = join(folder, "missing");
    const { exitCode, output } = await runCommand(["doctor"], { dataDir: missing });
    expect([exitCode, output]).toEqual([1, expect.stringContaining(`${missing} does not exist`)]);
    expect(existsSync(missing)).toBe(false);
  });
});

describe("sightline backup", () => {
  const dataDir = join(folder, "original");

  test("beside a server that takes events: the copy holds every event acknowledged before it", async () => {
    const server = await startServer({ dataDir });
    const key = await setUpAccount(server.url);
    const project = await createProject(server.url, key, "kept");
    const track = (): Promise<unknown> =>
      ask(
        server.url,
        "POST",
        "/track",
        { "User-Agent": userAgent },
        { token: project.token, event: "kept" },
      );
    for (let count = 0; count < 25; count++) await track();
    const target = join(folder, "copy");
    const [copied] = await Promise.all([
      runCommand(["backup", target], { dataDir }),
      ...Array.from({ length: 25 }, track),
    ]);
    expect(copied.output).toContain(target);
    expect(copied.exitCode).toBe(0);
    expect(readdirSync(target).sort()).toEqual(wholeBackup);
    await server.stop();

    const restored = await startServer({ dataDir: target });
    const stats = await read<{ totals: { total_events: number } }>(
      restored.url,
      key,
      "/stats?project=kept",
    );
    expect(stats.totals.total_events).toBeWithin(25, 51);
    await restored.stop();
  });

  test("killed at any moment, leaves nothing half under a database's name", async () => {
    for (let afterMs = 0; afterMs < 180; afterMs += 9) {
      const target = join(folder, `killed-${afterMs}`);
      const wrapper = ["timeout", "--signal=KILL", `${0.01 + afterMs / 1000}`];
      await runCommand(["backup", target], { dataDir, wrapper });
      const names = existsSync(target) ? readdirSync(target) : [];
      const whole = names.filter((name) => /^(events|replays|control)\.db$/.test(name));
      expect([
        [],
        ["events.db"],
        ["events.db", "replays.db"],
        ["control.db", "events.db", "replays.db"],
      ]).toContainEqual(whole.sort());
      if (names.length > 0 && !(whole.length === 3 && !names.includes("backup.part"))) {
        const served = await runCommand(["doctor"], { dataDir: target });
        if (names.includes("backup.part"))
          expect(served.output).toContain("is an incomplete backup");
        // What is left does not stand in the way of the next.
        const again = await runCommand(["backup", target], { dataDir });
        expect([again.exitCode, again.output]).toEqual([0, expect.stringContaining(target)]);
        expect(readdirSync(target).sort()).toEqual(wholeBackup);
      }
      for (const name of whole) {
        const copy = new Database(join(target, name), { readonly: true });
        expect(copy.query("pragma quick_check").get()).toEqual({ quick_check: "ok" });
        copy.close();
      }
    }
  });

  test("a copy that cannot be made is told, and nothing of it is left", async () => {
    const target = join(dataDir, "events.db", "within");
    const { exitCode, output } = await runCommand(["backup", target], { dataDir });
    expect([exitCode, output]).toEqual([1, expect.stringContaining("The backup to")]);
  });

  test("a folder that is not empty is left alone", async () => {
    const again = await runCommand(["backup", join(folder, "copy")], { dataDir });
    expect(again.exitCode).toBe(1);
    expect(again.output).toContain("not empty");
  });
});
