/** Statements give groups names of their own, as a request may name them in any way. */
export const groupName = (index: number): string => `group_${index}`;
