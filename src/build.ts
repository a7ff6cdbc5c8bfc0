/*
 * Identifiers are kept in the executable.
 * Decision: the build minifies white space and syntax, never names; bytecode is embedded.
 * Because: Elysia reads the source of its handlers; with names changed, some requests failed in the executable only.
 * Cost: half a percent of its size.
 * Revisit: when Elysia no longer reads source.
 */

import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/**
 * Builds the executable. `bun src/build.ts` makes dist/sightline for this machine, `bun src/build.ts all` one file per
 * target, `bun src/build.ts bun-linux-arm64 …` those named.
 */
// Bun publishes one runtime for x64 and x64-baseline since 1.4: it chooses its AVX code when it starts.
const targets = [
  "bun-linux-x64",
  "bun-linux-x64-baseline",
  "bun-linux-arm64",
  "bun-linux-x64-musl",
  "bun-darwin-arm64",
  "bun-windows-x64",
] as const;
type Target = (typeof targets)[number];

const sources = import.meta.dir;
const output = join(sources, "..", "dist");

const wanted = process.argv.slice(2);
/** The public key of the releases, which `verify` believes. Until there is one, the file says so in words. */
const keyText = readFileSync(join(sources, "release", "public-key.pem"), "utf8");
const releaseKey = keyText.startsWith("-----BEGIN PUBLIC KEY-----") ? keyText : null;
if (wanted.length === 0) await build(null);
for (const name of wanted[0] === "all" ? targets : wanted) {
  const target = targets.find((one) => one === name);
  if (target === undefined) {
    throw new Error(`"${name}" is not a build target. Use one of ${targets.join(", ")}, or all.`);
  }
  await build(target);
}

async function build(target: Target | null): Promise<void> {
  // The bundler lays the source maps, which are in the executable too, beside it.
  const folder = mkdtempSync(join(tmpdir(), "sightline-build-"));
  const name = target === null ? "sightline" : target.replace("bun", "sightline");
  const started = performance.now();
  const result = await Bun.build({
    // Threads are not found by following imports: each is an entry point, at its own path below the root.
    entrypoints: [join(sources, "main.ts"), ...threads()],
    root: sources,
    // The executable obeys neither a bunfig.toml, which may preload code, nor a .env of the folder it runs in.
    compile: {
      outfile: join(folder, name),
      autoloadBunfig: false,
      autoloadDotenv: false,
      ...(target && { target }),
    },
    // Elysia reads the source of its handlers to see what they use: renamed identifiers break it.
    minify: { whitespace: true, syntax: true, identifiers: false },
    // A module that is imported when it is first used stays a file of its own in the executable, and is not loaded
    // before.
    splitting: true,
    sourcemap: "linked",
    bytecode: true,
    format: "esm",
    target: "bun",
    define: {
      "process.env.NODE_ENV": '"production"',
      ...(releaseKey && { buildReleaseKey: JSON.stringify(releaseKey) }),
      ...(target && { buildTarget: JSON.stringify(target.replace("bun-", "")) }),
    },
  });
  const made = result.outputs.find((one) => one.kind === "entry-point")?.path ?? join(folder, name);
  const file = join(output, basename(made));
  place(made, file);
  rmSync(folder, { recursive: true });
  const megabytes = (Bun.file(file).size / 1e6).toFixed(1);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `${file.slice(output.length - "dist".length)}  ${megabytes} MB  ${seconds} s\n`,
  );
}

/** Puts the executable there in one step: a server may be running from the one before. */
function place(made: string, file: string): void {
  mkdirSync(output, { recursive: true });
  for (const left of readdirSync(output).filter((one) => one.endsWith(".map"))) {
    rmSync(join(output, left));
  }
  copyFileSync(made, `${file}.part`);
  chmodSync(`${file}.part`, 0o755);
  renameSync(`${file}.part`, file);
}

function threads(): string[] {
  const folder = join(sources, "workers");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .sort()
    .map((name) => join(folder, name));
}
