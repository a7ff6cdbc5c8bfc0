import {
  acceptFields,
  refuseForeignOrigin,
  refuseInDoubtOfClock,
  refuseOverRate,
  refuseOverVolume,
  setAsideAutomated,
  setAsideBrowsersIdentity,
} from "./pipeline-steps";
import type { Outcome, StepContext, Submission } from "./submission";

/** Returns the outcome of a submission, or null where the next step decides. It never throws. */
type Step = (submission: Submission, context: StepContext) => Outcome | null;

/** The steps after shape and token, in the order in which refusals count. */
const steps: readonly Step[] = [
  refuseInDoubtOfClock,
  refuseForeignOrigin,
  setAsideAutomated,
  setAsideBrowsersIdentity,
  refuseOverRate,
  refuseOverVolume,
];

/**
 * Decides what is stored of a submission: all of it or nothing. The first step that returns an outcome is the last to
 * run. The store decides when.
 */
export function admit(submission: Submission, context: StepContext): Outcome {
  for (const step of steps) {
    const outcome = step(submission, context);
    if (outcome !== null) return outcome;
  }
  return acceptFields(submission, context);
}
