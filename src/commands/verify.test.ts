import { afterEach, beforeEach, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publicKeyOf, signatureOf, sumsOf } from "../lib/release-sums";
import { verifyRelease } from "./verify";

const keyOf = (): string =>
  String(generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
const key = keyOf();
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-verify-"));
  writeFileSync(join(folder, "sightline-0.1.0-linux-x64.tar.gz"), "archive");
  writeFileSync(join(folder, "sightline-0.1.0.cdx.json"), "{}");
  signBy(key);
});
afterEach(() => rmSync(folder, { recursive: true }));

function signBy(privateKey: string): void {
  const sums = sumsOf(folder);
  writeFileSync(join(folder, "SHA256SUMS"), sums);
  writeFileSync(join(folder, "SHA256SUMS.sig"), signatureOf(sums, privateKey));
}
function verify(...parameters: readonly string[]) {
  const printed: string[] = [];
  const exitCode = verifyRelease(
    [folder, ...parameters],
    (text) => printed.push(text),
    publicKeyOf(key),
  );
  return [exitCode, printed.join("")] as const;
}

test("a release is as it was signed, and sha256sum agrees", () => {
  expect(verify()).toEqual([0, "All files are as they were signed.\n"]);
  expect(verify("--json")).toEqual([0, '{"ok":true,"flaws":[]}\n']);
  expect(Bun.spawnSync(["sha256sum", "--check", "SHA256SUMS"], { cwd: folder }).exitCode).toBe(0);
});

test("a changed file, a missing one, changed sums and another key are told", () => {
  writeFileSync(join(folder, "sightline-0.1.0-linux-x64.tar.gz"), "archivf");
  expect(verify()).toEqual([1, "sightline-0.1.0-linux-x64.tar.gz was changed.\n"]);
  rmSync(join(folder, "sightline-0.1.0.cdx.json"));
  expect(verify()[1]).toContain("sightline-0.1.0.cdx.json is missing.");
  writeFileSync(join(folder, "SHA256SUMS"), sumsOf(folder));
  expect(verify()[1]).toBe(
    "SHA256SUMS.sig is not a signature of SHA256SUMS by the key of the releases.\n",
  );
  signBy(keyOf());
  expect(verify()[0]).toBe(1);
  rmSync(join(folder, "SHA256SUMS.sig"));
  expect(verify()).toEqual([1, "SHA256SUMS.sig is missing.\n"]);
});

test("--key names another key; without any the command says what to pass", () => {
  const other = keyOf();
  signBy(other);
  const file = join(folder, "..", `${folder.split("/").at(-1)}.pem`);
  writeFileSync(file, publicKeyOf(other));
  expect(verify("--key", file)[0]).toBe(0);
  rmSync(file);
  expect(() => verify("--key", file)).toThrow("cannot read the key");
  expect(() => verifyRelease([folder], () => undefined, null)).toThrow(
    "Pass the public key with --key",
  );
  for (const wrong of [
    [],
    ["--key"],
    [folder, "--key"],
    [folder, "more"],
    [folder, "--key", "a", "b"],
  ]) {
    expect(() => verifyRelease(wrong, () => undefined, null)).toThrow(
      "Pass the folder of a release",
    );
  }
});
