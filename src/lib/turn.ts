/** Other requests are answered before it is over: long work on the main thread waits for one again and again. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
