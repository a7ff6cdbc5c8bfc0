import { clickHouseUrl } from "../engine/engine-of-tests";

/**
 * Aborted once somebody listens: the store does when it has begun to read. On ClickHouse the client of HTTP listens,
 * which nobody can see: there it is aborted at the next turn, and the answers of that server take longer.
 */
export function signalOfLeaver(): AbortSignal {
  const leaver = new AbortController();
  const { signal } = leaver;
  if (clickHouseUrl !== undefined) setImmediate(() => leaver.abort());
  const listen = signal.addEventListener.bind(signal);
  signal.addEventListener = (...asked: Parameters<typeof listen>) => {
    listen(...asked);
    queueMicrotask(() => leaver.abort());
  };
  return signal;
}
