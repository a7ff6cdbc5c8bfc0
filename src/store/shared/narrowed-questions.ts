import { ApiError } from "../../domain/errors";
import type { Snapshot } from "../questions";

/** The questions whose answers are made of more than events. */
const ofMore = [
  ...["people", "receivedDays", "automatedTotals", "automatedByCategory"],
  ...["automatedByActor", "automatedByProject", "automatedByDate", "flaggedValues"],
] as const satisfies readonly (keyof Snapshot)[];

/** Refuses what is not made of events to who sees some of these alone. */
export function ofEventsAlone(questions: Snapshot): Snapshot {
  const refuse = (): Promise<never> => Promise.reject(cannotNarrow());
  const refused = Object.fromEntries(ofMore.map((name) => [name, refuse]));
  return { ...questions, ...refused };
}

export const cannotNarrow = (): ApiError =>
  new ApiError(
    "FORBIDDEN",
    "This share has filters, which this read does not support. Read numbers of events, sessions or users " +
      "instead.",
  );
