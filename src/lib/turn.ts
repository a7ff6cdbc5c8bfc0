/** Resolves in the next turn of the event loop: what waits for its turn, streams among it, is done by then. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
