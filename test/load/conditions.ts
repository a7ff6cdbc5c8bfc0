import { cpus, loadavg, totalmem } from "node:os";
import { executable } from "../support/server/server";
import { oneDecimal } from "./figures";

/** The circumstances of a run, which each table of figures names. */
export interface Conditions {
  /** The date, in UTC. */
  readonly day: string;
  /** The commit of the executable that is measured. */
  readonly commit: string;
  readonly machine: string;
  /** Other programs take their part of the machine: the load before the run says how busy it was. */
  readonly load: string;
}

export function conditionsNow(): Conditions {
  const version = Bun.spawnSync([executable, "version", "--json"]).stdout.toString();
  const { commit } = JSON.parse(version) as { readonly commit: string };
  return {
    day: new Date().toISOString().slice(0, 10),
    commit: commit.slice(0, 8),
    machine: `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB`,
    load: oneDecimal(loadavg()[0]),
  };
}
