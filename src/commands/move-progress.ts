const progressEveryMs = 1_000;

export type Print = (text: string) => unknown;

/** Prints now and then how much of a project is there. */
export function progressOf(name: string, total: number, print: Print): (events: number) => void {
  let toldAtMs = performance.now();
  return (events) => {
    if (performance.now() - toldAtMs < progressEveryMs) return;
    toldAtMs = performance.now();
    print(`         ${name}: ${events} of ${total} events\n`);
  };
}
