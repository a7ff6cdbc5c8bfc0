import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError } from "../config";
import type { ClickHousePlace } from "../config-clickhouse";
import { ClickHouseTarget } from "../store/clickhouse/move/target";
import { FileSource } from "../store/events/move/source";
import { schema } from "../store/events/tables";
import { serverOn } from "../store/lock";
import { refuseIfUnusable } from "../store/migrate";
import { StorageRefused } from "../store/refused";
import type { MovedProject } from "../store/shared/moved";
import { UsageError } from "./command";
import { differenceOf, readsPerProject } from "./move-compare";
import { type Print, progressOf } from "./move-progress";
import { moveToFile } from "./move-to-file";

/** Copies events from a data folder to ClickHouse or back, and holds both against each other. */
export async function move(
  { clickHouse, dataDir }: Pick<Config, "clickHouse" | "dataDir">,
  [option, to, ...more]: readonly string[],
  print: Print,
): Promise<number> {
  const isKnown = to === "clickhouse" || to === "file";
  if (option !== "--to" || !isKnown || more.length > 0) {
    throw new UsageError("Pass the target: --to clickhouse or --to file.");
  }
  if (clickHouse === null) {
    throw new ConfigError(
      "CLICKHOUSE_URL is not set. Set it to the ClickHouse to move to or from.",
    );
  }
  return to === "file"
    ? moveToFile(clickHouse, dataDir, print)
    : moveToClickHouse(clickHouse, dataDir, print);
}

/** A server may be running on the folder: what it stores meanwhile comes with the next run. */
async function moveToClickHouse(
  clickHouse: ClickHousePlace,
  dataDir: string,
  print: Print,
): Promise<number> {
  const file = join(dataDir, "events.db");
  if (!existsSync(file)) {
    throw new ConfigError(
      `${dataDir} contains no events. Set DATA_DIR to the server's data folder.`,
    );
  }
  refuseIfUnusable(file, schema);
  const isRunning = serverOn(dataDir) !== null;
  const source = new FileSource(file);
  try {
    const store = await source.store();
    const target = await ClickHouseTarget.open(clickHouse, store);
    try {
      let lastTicket = store.lastTicket;
      for (const project of store.projects) {
        lastTicket = Math.max(lastTicket, await moveProject(source, target, project, print));
      }
      await target.finish(await source.keys(), lastTicket);
    } finally {
      await target.close();
    }
    print(`${store.projects.length} projects are in ClickHouse.\n${nextStep(isRunning)}`);
    return 0;
  } finally {
    source.close();
  }
}

/** Resolves with the highest ticket of its events. */
function moveProject(
  source: FileSource,
  target: ClickHouseTarget,
  project: MovedProject,
  print: Print,
): Promise<number> {
  const { name } = project;
  return source.within(project, async (content) => {
    const total = content.events.reduce((sum, { count }) => sum + count, 0);
    await target.copy(project, content, progressOf(name, total, print));
    const difference = await differenceOf(
      name,
      content.questions,
      target.questions(project, content),
    );
    if (difference !== null) {
      throw new StorageRefused(
        `${name} differs in ClickHouse: ${difference}. Your server still uses the data folder; run the move ` +
          "again.",
      );
    }
    print(`ok       ${name}: ${total} events, ${readsPerProject} reads give the same answers\n`);
    return content.lastTicket;
  });
}

const nextStep = (isRunning: boolean): string =>
  isRunning
    ? "The running server has stored more events since. To switch, stop it, run this command again to copy " +
      "them, and start the server with CLICKHOUSE_URL and the other settings of this command.\n"
    : "To switch, start the server with CLICKHOUSE_URL and the other settings of this command. The data " +
      "folder keeps its events; new events are stored only in ClickHouse.\n";
