/**
 * `npm test` tries each property on few random cases, so that it is run often; `npm run test:thorough` runs the files
 * that ask here again, on many. What is tried is the same, and so is every test that does not ask.
 */
export const levelVariable = "TEST_LEVEL";
export const thoroughLevel = "thorough";
const isThorough = process.env[levelVariable] === thoroughLevel;

/** Returns how many cases, events or steps a random test takes, or which of its seeds. */
export const cases = <T>(quick: T, thorough: T): T => (isThorough ? thorough : quick);
