/** The one place of the dashboard that reads the time. */
export const nowMs = (): number => Date.now();
