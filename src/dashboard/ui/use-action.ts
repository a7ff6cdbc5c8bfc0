import { useState } from "preact/hooks";

export interface Action {
  /** The reason why the last one failed; empty when it did not. */
  readonly error: string;
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<void>) => void;
}

/** Runs the action of a button or form, one at a time. */
export function useAction(): Action {
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const run = (work: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    setError("");
    work()
      .catch((failure: unknown) => {
        setError(failure instanceof Error ? failure.message : "Something went wrong. Try again.");
      })
      .finally(() => setBusy(false));
  };
  return { error, isBusy, run };
}
