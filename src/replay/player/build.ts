import { fileURLToPath } from "node:url";
import { build } from "bun";
import { playerNotice } from "../licences";

/** Both are for the test that looks at each layer of protection alone. */
interface Layers {
  readonly cleans: boolean;
  readonly hasUnsafeFrame: boolean;
}
const product: Layers = { cleans: true, hasUnsafeFrame: false };

/** The viewer's script: /replay-player.js. */
export async function buildPlayer({ cleans, hasUnsafeFrame } = product): Promise<string> {
  const { outputs } = await build({
    entrypoints: [fileURLToPath(new URL("main.ts", import.meta.url))],
    format: "iife",
    target: "browser",
    minify: true,
    define: {
      CLEANS: String(cleans),
      UNSAFE_FRAME: String(hasUnsafeFrame),
      "process.env.NODE_ENV": '"production"',
    },
  });
  return playerNotice + ((await outputs[0]?.text()) ?? "");
}

if (import.meta.main) process.stdout.write(await buildPlayer());
