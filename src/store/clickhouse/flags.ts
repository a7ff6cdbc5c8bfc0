import { policyDefault, type TrustPolicy } from "../../domain/trust/flagged";
import { type Shown, shownLive } from "../../domain/trust/mask";
import type { ToldRequest } from "../port";

/**
 * Flagged texts of an answer are told as it goes out: nothing is kept of them, so each text of an answer is looked at.
 * What is flagged is so at once here, and not when it has been looked through.
 */
export function shownOfRead(
  json: string,
  { projectIds, policies = {} }: ToldRequest,
  isExact: boolean,
): Shown {
  const decided = projectIds.map((projectId) => policies[projectId] ?? policyDefault);
  const shown = shownLive(json, together(decided));
  return isExact ? { json, flagged: shown.flagged } : shown;
}

/** In an answer about several projects a text is masked if one of them wants it, and cleared if all of them do. */
function together([first = policyDefault, ...others]: readonly TrustPolicy[]): TrustPolicy {
  return others.reduce(
    (all, one): TrustPolicy => ({
      flagged: all.flagged === "mask" ? "mask" : one.flagged,
      cleared: all.cleared.filter((digest) => one.cleared.includes(digest)),
    }),
    first,
  );
}
