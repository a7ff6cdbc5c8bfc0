import { policyDefault, type TrustPolicy } from "../../domain/trust/flagged";
import { type Shown, shownLive } from "../../domain/trust/mask";
import type { DataFactsRequest } from "../port";

/**
 * Each text of an answer is looked at when the answer is sent, as nothing is stored about flagged texts. A text is
 * therefore flagged as soon as it is stored, and not only after a scan.
 */
export function shownOfRead(
  json: string,
  { projectIds, policies = {} }: DataFactsRequest,
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
