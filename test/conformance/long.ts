import { conform } from "./conformance";

/** `bun test/conformance/long.ts SEED COUNT`: many histories. Exits with 1 at the first that fails. */
const [first = 1, count = 100] = process.argv.slice(2).map(Number);
let compared = 0;
for (let seed = first; seed < first + count; seed++) compared += await conform(seed);
process.stdout.write(`seeds ${first} to ${first + count - 1}: ${compared} answers equal\n`);
