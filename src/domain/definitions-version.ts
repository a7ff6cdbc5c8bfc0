/**
 * The version of what every number means (definitions.md), the tables of sites and channels included. It is told with
 * every read, and changes when any of that does: year and month, and a number within them.
 */
export const definitionsVersion = "2026-11.3";
