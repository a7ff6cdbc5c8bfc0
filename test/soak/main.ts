import { removeFolder, temporaryFolder } from "../support/server/server";
import { startCounterparts } from "./counterparts";
import { planOf } from "./plan";
import { Soak } from "./run";
import { say } from "./say";
import { faultsOf } from "./verdict";

/*
 * Runs the executable for hours under load, with backups, drills, alerts, webhooks and mail, stops and kills it, and
 * says whether all that it acknowledged is there and whether it holds as much as at the start.
 *   SOAK_HOURS (24) and SOAK_EVENTS_PER_SECOND (1000) set its length and load.
 */
const hours = Number(process.env.SOAK_HOURS ?? 24);
const eventsPerSecond = Number(process.env.SOAK_EVENTS_PER_SECOND ?? 1_000);
if (!(hours >= 0.05 && hours <= 1_000 && eventsPerSecond >= 1 && eventsPerSecond <= 100_000)) {
  say("SOAK_HOURS is 0.05 to 1000, SOAK_EVENTS_PER_SECOND 1 to 100000.");
  process.exit(1);
}
const folder = temporaryFolder();
const counterparts = await startCounterparts();
let faults: readonly string[];
try {
  const plan = planOf(hours);
  const soak = await Soak.start(plan, folder, counterparts);
  const findings = await soak.run(eventsPerSecond);
  say(JSON.stringify(findings, null, 1));
  faults = faultsOf(findings, plan);
} finally {
  await counterparts.close();
  removeFolder(folder);
}
faults.forEach(say);
say(faults.length === 0 ? " 1 pass\n 0 fail" : " 0 pass\n 1 fail");
process.exit(faults.length === 0 ? 0 : 1);
