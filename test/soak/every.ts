interface Times {
  readonly isOver: () => boolean;
  /** Takes the sentence of a failure. The work goes on: a soak of hours says at its end all that went wrong. */
  readonly noteFailure: (text: string) => void;
}

/** Does some work again and again, with a pause after each time, until it is over. */
export async function every(ms: number, times: Times, work: () => Promise<void>): Promise<void> {
  const { isOver, noteFailure } = times;
  while (!isOver()) {
    await work().catch((error: unknown) => noteFailure(`${error}`));
    const wakesAtMs = performance.now() + ms;
    while (!isOver() && performance.now() < wakesAtMs) await Bun.sleep(Math.min(ms, 500));
  }
}
