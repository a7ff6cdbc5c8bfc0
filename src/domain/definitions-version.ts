/**
 * The version of the definitions of all numbers (definitions.md) and of the tables of sites and channels. The receipt
 * of every read has it, and it changes when any of these change: year and month, and a number within them.
 */
export const definitionsVersion = "2026-11.3";
