/** What neither SQLite's comparison of rows with indexes nor a checksum of ours covers. */
const parts = [
  "bytes of the databases that hold nothing",
  "counters of the database format",
  "the keys by which an event that comes again within two days is known",
];
const ofClickHouse = "what ClickHouse stores, which has checksums of its own";

/** The places in which `doctor` and `backup` do not notice that bytes were changed. */
export const notLookedAt = (hasClickHouse: boolean): readonly string[] =>
  hasClickHouse ? [...parts, ofClickHouse] : parts;

/** Ends what a command says, so that nobody takes it for more than it is. */
export const sentenceOfNotLookedAt = (hasClickHouse: boolean): string =>
  `Not looked at: ${notLookedAt(hasClickHouse).join("; ")}.`;
