import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publicKeyOf, signatureFile, signatureOf, sumsFile, sumsOf } from "../lib/release-sums";
import { version } from "../version";
import { type ArchivedFile, archiveOf } from "./archive";
import { containerFiles } from "./container";
import { bomOf, licencesOf } from "./packages";

/**
 * Makes dist/release from a clean tree: an archive for each target, the list of packages, sums, and their signature by
 * the key in the file that comes first, whose public part is in the sources. `npm run release` passes RELEASE_KEY_FILE;
 * targets may follow.
 */
const root = join(import.meta.dir, "..", "..");
const output = join(root, "dist", "release");
const allTargets = [
  ...["linux-x64", "linux-x64-baseline", "linux-arm64", "linux-x64-musl", "darwin-arm64"],
  "windows-x64",
];

/** Every build has the public key in it; `sightline verify` believes it. */
const publicKeyFile = "src/release/public-key.pem";

const buildName = (target: string): string => `bun-${target}`;
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

const [keyFile = "", ...named] = process.argv.slice(2);
const targets = named.length === 0 ? allTargets : named;
release();

function release(): void {
  if (keyFile === "") throw new Error("Set RELEASE_KEY_FILE to the private Ed25519 key, as PEM.");
  if (run("git", "status", "--porcelain") !== "") {
    throw new Error("The tree has changes. Commit them, so that others can build the same.");
  }
  if (!textOf("src/docs/changelog.md").includes(`\n## ${version}, `)) {
    throw new Error(`src/docs/changelog.md has no section for ${version}.`);
  }
  const key = readFileSync(keyFile, "utf8");
  if (textOf(publicKeyFile) !== publicKeyOf(key)) {
    throw new Error(
      `${publicKeyFile} does not have the public key of RELEASE_KEY_FILE, so that nobody could verify the release. ` +
        `Write this to it and commit it:\n${publicKeyOf(key)}`,
    );
  }
  run(process.execPath, "src/build.ts", ...targets.map(buildName));
  const timeSeconds = Number(run("git", "log", "-1", "--format=%ct"));
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  for (const target of targets) {
    const name = `sightline-${version}-${target}`;
    writeFileSync(join(output, `${name}.tar.gz`), archiveOf(filesOf(name, target), timeSeconds));
  }
  const bom = bomOf(root, version, timeSeconds);
  writeFileSync(join(output, `sightline-${version}.cdx.json`), bom);
  const sums = sumsOf(output);
  writeFileSync(join(output, sumsFile), sums);
  writeFileSync(join(output, signatureFile), signatureOf(sums, key));
  process.stdout.write(sums);
}

function filesOf(folder: string, target: string): readonly ArchivedFile[] {
  const program = target.startsWith("windows") ? "sightline.exe" : "sightline";
  const built = target.startsWith("windows") ? `sightline-${target}.exe` : `sightline-${target}`;
  const file = (path: string, bytes: Uint8Array, isExecutable = false): ArchivedFile => ({
    ...{ path: `${folder}/${path}`, bytes, isExecutable },
  });
  const copied = (path: string, from: string): ArchivedFile =>
    file(path, readFileSync(join(root, from)));
  return [
    file(program, readFileSync(join(root, "dist", built)), true),
    copied("LICENSE", "LICENSE"),
    file("LICENSES-OF-PACKAGES", Buffer.from(licencesOf(root))),
    copied("README.md", "README.md"),
    copied("CHANGELOG.md", "src/docs/changelog.md"),
    copied("sightline.service", "src/release/sightline.service"),
    ...[...containerFiles(target, textOf)].map(([name, text]) => file(name, Buffer.from(text))),
  ];
}

function run(...command: readonly string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync([...command], { cwd: root });
  if (success) return stdout.toString().trim();
  throw new Error(`${command.join(" ")} failed: ${stderr.toString()}`);
}
