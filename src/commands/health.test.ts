import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testApp } from "../../test/support/app/app";
import { readConfig } from "../config";
import { lockFolder } from "../store/lock";
import { health } from "./health";

let dataDir = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-health-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function ask(environment: Readonly<Record<string, string>> = {}) {
  const printed: string[] = [];
  const config = readConfig({ DATA_DIR: dataDir, HOST: "127.0.0.1", ...environment });
  const exitCode = await health(config, (text) => printed.push(text), false);
  const text = printed.splice(0).join("");
  expect(await health(config, (json) => printed.push(json), true)).toBe(exitCode);
  return { exitCode, text, json: JSON.parse(printed.join("")) };
}

test("health asks the server of PORT, and names the checks that failed", async () => {
  const app = await testApp();
  try {
    const url = app.listen();
    const PORT = new URL(url).port;
    const ready = await ask({ PORT, HOST: "0.0.0.0" });
    expect([ready.exitCode, ready.text]).toEqual([
      0,
      `The server at http://127.0.0.1:${PORT} is ready.\n`,
    ]);
    expect(ready.json).toMatchObject({ ok: true, checks: { storage: "ok", clock: "ok" } });
    app.jumpTo(Date.UTC(2036, 0, 1));
    const doubtful = await ask({ PORT });
    expect([doubtful.exitCode, doubtful.text]).toEqual([
      1,
      `The server at http://127.0.0.1:${PORT} is not ready: clock failed.\n`,
    ]);
    expect(doubtful.json).toMatchObject({ ok: false, checks: { clock: "failed" } });
  } finally {
    await app.close();
  }
});

test("health prefers the server that runs on DATA_DIR, wherever that listens", async () => {
  const app = await testApp();
  const lock = lockFolder(dataDir);
  try {
    const url = app.listen().replace("localhost", "127.0.0.1");
    lock.tellAddress("https://stats.example.com", url);
    expect(await ask({ PORT: "1" })).toMatchObject({ exitCode: 0, json: { url } });
  } finally {
    lock.release();
    await app.close();
  }
});

test("health says that nobody answers, and exits with 1", async () => {
  const { exitCode, text, json } = await ask({ PORT: "1" });
  expect([exitCode, json.ok, json.checks]).toEqual([1, false, null]);
  expect(text).toContain("No server answers at http://127.0.0.1:1 (");
});
