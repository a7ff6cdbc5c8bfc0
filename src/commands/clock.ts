import { resolve } from "node:path";
import { type Config, ConfigError } from "../config";
import { describeDoubt, doubtOf } from "../domain/clock-doubt";
import { clock } from "../lib/clock";
import { openControl } from "../store/control/control";
import { checkInstallation, openInstallation } from "../store/installation";
import { exitCodes } from "./command";
import { databaseFiles } from "./databases";
import { knownTimeIn } from "./known-time";

/**
 * Compares the clock with what the data folder knows of the time, and returns 1 for a clock that is not trusted. With
 * `isAccepted` an operator confirms the clock, beside a running server too.
 */
export function clockCommand(
  config: Config,
  isAccepted: boolean,
  print: (text: string) => void,
): number {
  const { dataDir } = config;
  if (checkInstallation(dataDir, databaseFiles) === "new") {
    throw new ConfigError(
      `${resolve(dataDir)} contains no Sightline data. Set DATA_DIR to the server's data folder.`,
    );
  }
  if (config.clockOffsetMs !== 0) clock.shift(config.clockOffsetMs);
  const nowMs = clock.nowMs();
  if (!isAccepted) {
    const doubt = doubtOf(knownTimeIn(dataDir), nowMs);
    print(doubt === null ? "The clock is trusted.\n" : `${describeDoubt(doubt)}\n`);
    return doubt === null ? exitCodes.done : exitCodes.failed;
  }
  openInstallation(dataDir, databaseFiles);
  const control = openControl(config);
  try {
    control.heartbeat.accept(nowMs);
  } finally {
    control.close();
  }
  const time = new Date(nowMs).toISOString();
  print(
    `You confirmed that it is ${time}. A server that runs on this folder trusts its clock within a minute.\n`,
  );
  return exitCodes.done;
}
