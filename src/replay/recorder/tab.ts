let release: (() => void) | null = null;

/**
 * Waits until no other tab of this browser has this name, and then has it until it is released. False when the wait
 * was given up. Where there are no locks, on pages without TLS, both record; the server tells their segments apart.
 */
export function holdTab(name: string): Promise<boolean> {
  releaseTab();
  if (navigator.locks === undefined) return Promise.resolve(true);
  return new Promise((held) => {
    const wait = new AbortController();
    release = () => wait.abort();
    navigator.locks
      .request(name, { signal: wait.signal }, () => {
        held(true);
        return new Promise<void>((done) => {
          release = done;
        });
      })
      .catch(() => held(false));
  });
}

export function releaseTab(): void {
  release?.();
  release = null;
}
