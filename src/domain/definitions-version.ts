/**
 * The version of the definitions of all numbers (definitions.md) and of the tables of sites and channels: a year, a
 * month and a counter within the month. Every receipt names it. Whoever changes a definition or a table raises it.
 */
export const definitionsVersion = "2026-11.3";
