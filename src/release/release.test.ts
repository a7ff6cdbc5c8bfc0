import { afterAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathFromRoot } from "../../test/support/suite/sources";

const folder = mkdtempSync(join(tmpdir(), "sightline-release-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command in a copy of the sources. Returns what it says of a failure. */
function faultOf(...command: readonly string[]): string {
  const { success, stderr } = Bun.spawnSync([...command], { cwd: folder, stdout: "ignore" });
  return success ? "" : stderr.toString();
}
const release = (...parameters: readonly string[]): string =>
  faultOf(process.execPath, "src/release/release.ts", ...parameters);

test("a release needs a key, a clean tree, and a section of the changelog for its version", () => {
  for (const path of ["src/release", "src/lib", "src/commit.macro.ts", "src/version.ts"]) {
    cpSync(pathFromRoot(path), join(folder, path), { recursive: true });
  }
  cpSync(pathFromRoot("package.json"), join(folder, "package.json"));
  cpSync(pathFromRoot("src/docs/changelog.md"), join(folder, "src/docs/changelog.md"));
  expect(release()).toContain("Set RELEASE_KEY_FILE to the private Ed25519 key, as PEM.");

  expect(faultOf("git", "init", "--quiet")).toBe("");
  expect(release("key.pem")).toContain("The tree has changes.");

  const commit = (): string => {
    const author = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
    return (
      faultOf("git", "add", "--all") + faultOf("git", ...author, "commit", "--quiet", "--message=x")
    );
  };
  expect(commit()).toBe("");
  // Everything is as it has to be but the key, which is read next.
  expect(release("key.pem")).toMatch(/ENOENT.*key\.pem/);

  // Git does not look at its own folder.
  const keyFile = join(folder, ".git", "key.pem");
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  const pem = String(publicKey.export({ type: "spki", format: "pem" }));
  const unknown = release(keyFile);
  expect(unknown).toContain("public-key.pem does not have the public key of RELEASE_KEY_FILE");
  expect(unknown).toContain(pem);
  writeFileSync(join(folder, "src/release/public-key.pem"), pem);
  expect(commit()).toBe("");
  // The build is next, and this copy has no sources to build.
  expect(release(keyFile)).toContain("src/build.ts");

  writeFileSync(join(folder, "src/docs/changelog.md"), "# Changelog\n");
  expect(commit()).toBe("");
  expect(release("key.pem")).toMatch(/changelog\.md has no section for \d/);
});
