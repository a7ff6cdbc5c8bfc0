import { leaveOutExcluded } from "./exclusion-step";
import {
  acceptFields,
  refuseForeignOrigin,
  refuseInDoubtOfClock,
  refuseOnFullDisk,
  refuseOverRate,
  refuseOverVolume,
  setAsideAutomated,
  setAsideBrowsersIdentity,
} from "./pipeline-steps";
import type { Outcome, StepContext, Submission } from "./submission";

/** Returns the outcome of a submission, or null where the next step decides. It never throws. */
type Step = (submission: Submission, context: StepContext) => Outcome | null;

/** The steps after shape and token, in the order in which refusals count: these judge a submission as a whole. */
const steps: readonly Step[] = [
  refuseInDoubtOfClock,
  refuseOnFullDisk,
  refuseForeignOrigin,
  setAsideAutomated,
];

/** These are about what the rules of the project leave of it. */
const stepsAfterExclusion: readonly Step[] = [
  setAsideBrowsersIdentity,
  refuseOverRate,
  refuseOverVolume,
];

/**
 * Decides what is stored of a submission: all that the project's rules do not exclude, or nothing. The first step that
 * returns an outcome is the last to run. The store decides when.
 */
export function admit(submission: Submission, context: StepContext): Outcome {
  const early = firstOutcome(steps, submission, context);
  if (early !== null) return early;
  const { left, excluded } = leaveOutExcluded(submission);
  if (left === null) return { kind: "excluded", events: excluded };
  const outcome = firstOutcome(stepsAfterExclusion, left, context) ?? acceptFields(left, context);
  const isPart = outcome.kind === "accepted" && excluded.length > 0;
  return isPart ? { ...outcome, excluded } : outcome;
}

function firstOutcome(
  inOrder: readonly Step[],
  submission: Submission,
  context: StepContext,
): Outcome | null {
  for (const step of inOrder) {
    const outcome = step(submission, context);
    if (outcome !== null) return outcome;
  }
  return null;
}
