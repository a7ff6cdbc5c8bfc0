import { fileURLToPath } from "node:url";
import { build } from "bun";
import { minify } from "terser";
import { recorderNotice } from "../licences";
import { withoutTheRest } from "./library-cuts";

/** The script that browsers get: /replay.js. */
export async function buildRecorder(): Promise<string> {
  const { outputs } = await build({
    entrypoints: [fileURLToPath(new URL("main.ts", import.meta.url))],
    format: "iife",
    target: "browser",
    plugins: [withoutTheRest],
  });
  const { code = "" } = await minify((await outputs[0]?.text()) ?? "", {
    ecma: 2019,
    compress: {
      passes: 3,
      unsafe_arrows: true,
      unsafe_methods: true,
      pure_getters: true,
      toplevel: true,
    },
    mangle: { toplevel: true },
    format: { ascii_only: true },
  });
  return recorderNotice + code;
}

if (import.meta.main) process.stdout.write(await buildRecorder());
