/** A run of one point is a dot: a line of no length, whose ends are round. */
export const lineThrough = (runs: readonly (readonly string[])[]): string =>
  runs.map((run) => `M${(run.length === 1 ? [...run, ...run] : run).join("L")}`).join("");
