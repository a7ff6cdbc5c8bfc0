/** Returns what an answer says about a list of groups that a limit cut. */
export const cutOf = (total: number, shown: number) =>
  total > shown ? { truncated: true as const, groups_total: total } : {};
