import {
  acceptFields,
  refuseForeignOrigin,
  refuseOverRate,
  refuseOverVolume,
  setAsideAutomated,
  setAsideBrowsersIdentity,
} from "./pipeline-steps";
import type { Outcome, Submission } from "./submission";

type Step = (submission: Submission) => Outcome | null;

/**
 * The steps are in the contract's order, after shape and token. The first that returns an outcome is the last to run.
 */
const steps: readonly Step[] = [
  refuseForeignOrigin,
  setAsideAutomated,
  setAsideBrowsersIdentity,
  refuseOverRate,
  refuseOverVolume,
];

/** Decides what is stored of a request: all of it or nothing. The store decides when. */
export function admit(submission: Submission): Outcome {
  for (const step of steps) {
    const outcome = step(submission);
    if (outcome !== null) return outcome;
  }
  return acceptFields(submission);
}
