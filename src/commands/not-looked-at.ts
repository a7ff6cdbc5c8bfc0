/** What neither SQLite's comparison of rows with indexes nor a checksum of ours covers. */
const parts = [
  "unused bytes of the databases",
  "counters of the database format",
  "the keys that detect repeated events within two days",
];
const ofClickHouse = "data in ClickHouse, which has its own checksums";

/** The places in which `doctor` and `backup` do not notice that bytes were changed. */
export const notLookedAt = (hasClickHouse: boolean): readonly string[] =>
  hasClickHouse ? [...parts, ofClickHouse] : parts;

/** Ends what a command says, so that nobody takes it for more than it is. */
export const sentenceOfNotLookedAt = (hasClickHouse: boolean): string =>
  `Not checked: ${notLookedAt(hasClickHouse).join("; ")}.`;
