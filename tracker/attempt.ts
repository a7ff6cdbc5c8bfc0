/** Runs what a browser may lack, forbid or break. The page never sees the error; the caller sees undefined. */
export const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};
