import { join } from "node:path";
import { executable, removeFolder, temporaryFolder } from "../support/server/server";
import { type Figures, oneDecimal, thousands } from "./figures";
import { forgetMostMemory, memoryOf } from "./memory";
import { serve, type World } from "./world";

const section = "Exports";
const mebibytesMax = 300;
const files = ["all.jsonl", "all.jsonl.zst", "events.csv", "events.parquet"];

/** Measures `sightline export` of the whole project: how fast, and the most memory of the server and of the command. */
export async function measureExports(
  { dataDir, key, big, events }: World,
  figures: Figures,
): Promise<void> {
  const folder = temporaryFolder();
  for (const file of files) {
    const server = await serve(dataDir);
    const { nowMb } = memoryOf(server.process.pid);
    forgetMostMemory(server.process.pid);
    const startedAt = performance.now();
    const out = join(folder, file);
    const command = Bun.spawn(
      [executable, "export", "--url", server.url, "--project", big.name, "--out", out],
      { env: { SIGHTLINE_API_KEY: key }, stdout: "ignore", stderr: "inherit" },
    );
    if ((await command.exited) !== 0) throw new Error(`The export into ${file} failed.`);
    const seconds = (performance.now() - startedAt) / 1_000;
    const { mostMb } = memoryOf(server.process.pid);
    const ofCommandMb = (command.resourceUsage()?.maxRSS ?? 0) / (1024 * 1024);
    const bytes = Bun.file(out).size;
    const add = (what: string, measured: string, target = "", isMet: boolean | null = null) =>
      figures.add(section, what, measured, target, isMet);
    add(`${thousands(events)} events into ${file}, events/s`, thousands(events / seconds));
    add("… bytes per event", oneDecimal(bytes / events));
    add(
      "… most memory of the server (before it), MiB",
      `${oneDecimal(mostMb)} (${oneDecimal(nowMb)})`,
      thousands(mebibytesMax),
      mostMb <= mebibytesMax,
    );
    add("… most memory of the command, MiB", oneDecimal(ofCommandMb));
    await server.stop();
    removeFolder(out);
  }
  removeFolder(folder);
}
