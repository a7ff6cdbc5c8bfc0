import { useRef, useState } from "preact/hooks";

export interface Action {
  /** The reason why the last one failed; empty when it did not. */
  readonly error: string;
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<void>) => void;
}

/**
 * Runs the action of a button or form, one at a time. A question may stand between a press and its action: what counts
 * is whether another one runs when it is answered, not when the button was drawn.
 */
export function useAction(): Action {
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  const run = (work: () => Promise<void>) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setError("");
    work()
      .catch((failure: unknown) => {
        setError(failure instanceof Error ? failure.message : "Something went wrong. Try again.");
      })
      .finally(() => {
        isRunning.current = false;
        setBusy(false);
      });
  };
  return { error, isBusy, run };
}
