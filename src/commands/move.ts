import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Config, ConfigError } from "../config";
import { clock } from "../lib/clock";
import { ClickHouseTarget } from "../store/clickhouse/move/target";
import { FileSource } from "../store/events/move/source";
import { schema } from "../store/events/tables";
import { serverOn } from "../store/lock";
import { refuseIfUnusable, StorageRefused } from "../store/migrate";
import type { MovedProject } from "../store/shared/moved";
import { differenceOf, readsPerProject } from "./move-compare";

const progressEveryMs = 1_000;
type Print = (text: string) => unknown;

/**
 * Copies what a data folder has of events to ClickHouse, and holds both against each other. A server may be running on
 * the folder: what it stores meanwhile comes with the next run.
 */
export async function move(
  { clickHouse, dataDir }: Pick<Config, "clickHouse" | "dataDir">,
  [option, to, ...more]: readonly string[],
  print: Print,
): Promise<number> {
  if (option !== "--to" || to !== "clickhouse" || more.length > 0) {
    throw new ConfigError("Say where to: sightline move --to clickhouse.");
  }
  if (clickHouse === null) {
    throw new ConfigError("CLICKHOUSE_URL is not set: it names the ClickHouse to move to.");
  }
  const file = join(dataDir, "events.db");
  if (!existsSync(file)) {
    throw new ConfigError(`${dataDir} has no events: set DATA_DIR to the server's folder.`);
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
      await target.finish(await source.keys(clock.nowMs()), lastTicket);
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
    let toldAtMs = performance.now();
    await target.copy(project, content, (events) => {
      if (performance.now() - toldAtMs < progressEveryMs) return;
      toldAtMs = performance.now();
      print(`         ${name}: ${events} of ${total} events\n`);
    });
    const difference = await differenceOf(
      name,
      content.questions,
      target.questions(project, content),
    );
    if (difference !== null) {
      throw new StorageRefused(
        `${name} is not the same in ClickHouse: ${difference}. Nothing was switched; the move can be run again.`,
      );
    }
    print(`ok       ${name}: ${total} events, ${readsPerProject} reads answer the same\n`);
    return content.lastTicket;
  });
}

const nextStep = (isRunning: boolean): string =>
  isRunning
    ? "The server went on storing meanwhile. To switch: stop it, run this again, which takes what came since, " +
      "and start it with CLICKHOUSE_URL and what else this command was run with.\n"
    : "To switch: start the server with CLICKHOUSE_URL and what else this command was run with. The folder keeps " +
      "what it has; events that come from then on are in ClickHouse alone.\n";
