interface UnderWay {
  /** The keys that it was asked for. */
  readonly keys: readonly string[];
  readonly controller: AbortController;
}

/** Requests that were sent and are not answered yet. */
const all = new Set<UnderWay>();

/** Sends a request, and knows of it until it is answered. */
export async function underWay<Answer>(
  keys: readonly string[],
  send: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const one = { keys, controller: new AbortController() };
  all.add(one);
  try {
    return await send(one.controller.signal);
  } finally {
    all.delete(one);
  }
}

/**
 * Ends requests of whose answers less than half would be shown, and returns the keys that these had: the server reads
 * for an account one after the other, and what somebody waits for would wait behind them.
 */
export function giveUpUnwanted(isWanted: (key: string) => boolean): string[] {
  const unwanted = [...all].filter(({ keys }) => keys.filter(isWanted).length < keys.length / 2);
  for (const one of unwanted) {
    all.delete(one);
    one.controller.abort();
  }
  return unwanted.flatMap(({ keys }) => keys);
}
