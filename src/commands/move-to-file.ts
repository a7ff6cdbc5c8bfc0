import { existsSync } from "node:fs";
import { ConfigError } from "../config";
import type { ClickHousePlace } from "../config-clickhouse";
import { peopleOf } from "../store/clickhouse/move/people-source";
import { ClickHouseSource } from "../store/clickhouse/move/source";
import { FileTarget } from "../store/events/move/target";
import { serverOn } from "../store/lock";
import { StorageRefused } from "../store/refused";
import type { MovedProject } from "../store/shared/moved";
import { differenceOf, readsPerProject } from "./move-compare";
import { type Print, progressOf } from "./move-progress";

/**
 * Copies what ClickHouse has of events into a file of the data folder. While a server writes there, the file is only
 * filled; a run that finds none gives it its name.
 */
export async function moveToFile(
  clickHouse: ClickHousePlace,
  dataDir: string,
  print: Print,
): Promise<number> {
  if (!existsSync(dataDir)) {
    throw new ConfigError(`${dataDir} does not exist. Set DATA_DIR to the server's data folder.`);
  }
  const source = await ClickHouseSource.open(clickHouse);
  try {
    const target = FileTarget.open(dataDir, source.hashSeed);
    try {
      const { projects, moment } = source;
      target.putProjects(projects, moment.versions);
      for (const project of projects) await moveProject(source, target, project, print);
      target.putKeys(await source.keys(), moment.lastTicket);
      await source.check();
      const isRunning = source.isRunning || serverOn(dataDir) !== null;
      if (!isRunning) target.finish();
      print(`${projectsOf(source)} in ${dataDir}.\n${nextStep(isRunning)}`);
    } finally {
      target.close();
    }
    return 0;
  } finally {
    await source.close();
  }
}

async function moveProject(
  source: ClickHouseSource,
  target: FileTarget,
  project: MovedProject,
  print: Print,
): Promise<void> {
  const { name } = project;
  const { questions } = source;
  target.putPeople(project, await source.refused(() => peopleOf(source.read, project)));
  const { total_events: total } = await source.refused(() => questions.storedEvents(name));
  const answers = source.events(project, target.movedThrough(project));
  await target.putEvents(project, answers, progressOf(name, total, print));
  const difference = await source.refused(() =>
    target.asked((own) => differenceOf(name, questions, own)),
  );
  if (difference !== null) {
    throw new StorageRefused(
      `${name} differs in the file: ${difference}. Your server still uses ClickHouse; run the move again.`,
    );
  }
  print(`ok       ${name}: ${total} events, ${readsPerProject} reads give the same answers\n`);
}

const projectsOf = ({ projects }: ClickHouseSource): string =>
  `${projects.length} project${projects.length === 1 ? " is" : "s are"}`;

const nextStep = (isRunning: boolean): string =>
  isRunning
    ? "A server is running. To switch, stop it and all standby servers, then run this command again: it " +
      "copies the newest events and puts the file in place.\n"
    : "To switch, start the server without CLICKHOUSE_URL. ClickHouse keeps its data; do not start a server " +
      "on it again.\n";
