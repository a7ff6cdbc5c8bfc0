import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { removeFolder, runCommand, temporaryFolder } from "../support/server/server";

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

describe("sightline", () => {
  test("version prints the version", async () => {
    const { exitCode, output } = await runCommand(["version"], { dataDir: folder });
    expect([exitCode, output.trim()]).toEqual([0, packageJson.version]);
  });

  test("an unknown command is refused with the list of those there are", async () => {
    const { exitCode, output } = await runCommand(["sevre"], { dataDir: folder });
    expect(exitCode).toBe(2);
    expect(output).toMatch(/serve.*setup/s);
  });

  test("without a command it prints the help, exits 2 and makes no folder", async () => {
    const dataDir = join(folder, "not-made");
    const { exitCode, output } = await runCommand([], { dataDir });
    expect([exitCode, output]).toEqual([2, expect.stringMatching(/serve.*setup/s)]);
    expect(existsSync(dataDir)).toBe(false);
  });

  test("what a command does not take is refused with its own help, and exits 2", async () => {
    const port = await runCommand(["serve", "--port", "80"], { dataDir: folder });
    expect([port.exitCode, port.output]).toEqual([2, expect.stringContaining("environment")]);
    const option = await runCommand(["backup", "--fast"], { dataDir: folder });
    expect([option.exitCode, option.output]).toEqual([
      2,
      expect.stringMatching(/Pass exactly one folder.*backup <folder>/s),
    ]);
  });

  test("version --json says what the executable was built from", async () => {
    const { exitCode, output } = await runCommand(["version", "--json"], { dataDir: folder });
    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toEqual({
      version: packageJson.version,
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      target: `${process.platform}-${process.arch}`,
      bun: Bun.version,
      tables: {
        control: expect.stringMatching(/^\d{4}_/),
        events: expect.stringMatching(/^\d{4}_/),
        replays: expect.stringMatching(/^\d{4}_/),
      },
    });
  });

  test("a setting that cannot be is refused by name", async () => {
    const { exitCode, output } = await runCommand(["serve"], {
      dataDir: folder,
      env: { DURABILITY: "perhaps" },
    });
    expect([exitCode, output.includes("DURABILITY")]).toEqual([1, true]);
  });

  test("an address that this machine does not have is told, and the exit code is 1", async () => {
    for (const HOST of ["192.0.2.55", "999.1.1.1", "no-such-host.invalid"]) {
      const { exitCode, output } = await runCommand(["serve"], { dataDir: folder, env: { HOST } });
      expect([exitCode, output]).toEqual([1, expect.stringContaining(`HOST is "${HOST}"`)]);
    }
  });

  test("half a configuration of payments is told at the start and by doctor", async () => {
    const { exitCode, output } = await runCommand(["doctor"], {
      dataDir: folder,
      env: { STRIPE_SECRET_KEY: "sk_1", STRIPE_PRICE_ID: "price_1" },
    });
    expect([exitCode, output]).toEqual([1, expect.stringContaining("STRIPE_WEBHOOK_SECRET")]);
  });

  test("a clock in the past is refused where others can reach the server", async () => {
    const { exitCode, output } = await runCommand(["serve"], {
      dataDir: folder,
      env: { CLOCK_OFFSET_MS: "-86400000", HOST: "0.0.0.0" },
    });
    expect([exitCode, output.includes("CLOCK_OFFSET_MS")]).toEqual([1, true]);
  });
});
