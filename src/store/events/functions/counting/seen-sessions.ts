import type { Selection } from "../../scan/selection";
import { type Budget, valuesPerCheck } from "../budget";
import { numbersIn } from "../sessions/session-numbers";
import type { SeenSessions, Sessions } from "../sessions/sessions";
import { Bitmap } from "../sets/bitmap";

/** Returns the sessions with one of the selected events. Cost: one pass over the visits. */
export function seenSessions(
  selected: readonly Selection[],
  sessions: Sessions,
  budget: Budget,
): SeenSessions {
  const seen = new Bitmap(sessions.count + 1);
  let hasOthers = false;
  for (const { segment, visits } of selected) {
    // A segment in which nobody has a session has no numbers.
    const numbers = numbersIn(sessions, segment);
    for (let v = 0; v < visits.length; v++) {
      if (v % valuesPerCheck === 0) budget.check();
      if (visits[v] === 0) continue;
      const session = numbers === undefined ? 0 : numbers[v];
      if (session === 0) hasOthers = true;
      else seen.add(session);
    }
  }
  return { numbers: seen.members(budget), hasOthers };
}
