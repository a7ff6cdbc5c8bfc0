import { mock } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtScriptsIn, scriptNames, scripts } from "./built-scripts";
import { pathFromRoot } from "./sources";

/**
 * The processes of `npm test` share the scripts that the run builds (test/run.ts): the modules that export them, whose
 * macros would build the same again in each process, take them from there when they are first imported.
 */
const folder = builtScriptsIn(tmpdir());
const lookMs = 10;
/** Longer than a busy machine takes to build them. */
const waitMsMax = 120_000;

for (const name of existsSync(folder) ? scriptNames : []) {
  const { module, builder, isJson } = scripts[name];
  mock.module(pathFromRoot(module), () => {
    const file = join(folder, name);
    const startedAtMs = performance.now();
    while (!existsSync(file) && performance.now() - startedAtMs < waitMsMax) Bun.sleepSync(lookMs);
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (text === "") throw new Error(`${builder} does not build.`);
    return { [name]: isJson ? JSON.parse(text) : text };
  });
}
