/** Aborted once somebody listens: the store does when it has begun to read. */
export function signalOfLeaver(): AbortSignal {
  const leaver = new AbortController();
  const { signal } = leaver;
  const listen = signal.addEventListener.bind(signal);
  signal.addEventListener = (...asked: Parameters<typeof listen>) => {
    listen(...asked);
    queueMicrotask(() => leaver.abort());
  };
  return signal;
}
