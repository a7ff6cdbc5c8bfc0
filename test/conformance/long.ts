import { conform } from "./conformance";
import { compareKept, keptSizes } from "./kept-sessions";
import { settingOf, zoneEventsMax, zoneSettings } from "./zone-settings";

/**
 * `bun test/conformance/long.ts SEED COUNT`: many histories, as many short ones around a change of clocks, in one time
 * zone after the other, and for one seed in fifteen one of what readers keep of sessions. Exits with 1 at the first
 * that fails.
 */
const keptEvery = 15;
const keptHistory = { events: 6_000, rounds: 12 };

const [first = 1, count = 100] = process.argv.slice(2).map(Number);
let compared = 0;
for (let seed = first; seed < first + count; seed++) compared += await conform(seed);
process.stdout.write(`seeds ${first} to ${first + count - 1}: ${compared} answers equal\n`);

compared = 0;
for (let seed = first; seed < first + count; seed++) {
  const [what, zone, date] = zoneSettings[seed % zoneSettings.length];
  try {
    const asked = { eventsMax: zoneEventsMax, setting: settingOf(zone, date) };
    compared += await conform(seed, asked);
  } catch (error) {
    throw new Error(`In ${zone} around ${date} (${what}):`, { cause: error });
  }
}
process.stdout.write(`around changes of clocks: ${compared} answers equal\n`);

compared = 0;
for (let seed = first; seed < first + count; seed += keptEvery) {
  for (const sizes of keptSizes) compared += await compareKept(sizes, seed, keptHistory);
}
process.stdout.write(`kept sessions: ${compared} comparisons equal\n`);
