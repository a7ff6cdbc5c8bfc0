import type { TimeWindow } from "../../../domain/time-window";
import type { Identity } from "../scan/identity";
import { VisitsOfUsers } from "../scan/visits-of-users";
import type { Segment } from "../segment/segment";
import type { Workspace } from "../sets/workspace";
import { SessionKeyTable } from "./session-key-table";
import { numberFew } from "./session-numbers";
import { mayShareWith } from "./session-overlap";
import { Sessions } from "./sessions";

/** If the user has visits in a larger part of the segments, the cached table of all sessions is as fast. */
const fewPart = 1 / 4;

/**
 * Returns the sessions with an event in the window in which a user has a visit. Their facts follow from all segments of
 * the project, so that the latest event of a session may belong to another user. Returns null if the user has visits in
 * many segments. Cost: a search of the users in the window's segments, and of the session keys in the segments that may
 * share sessions with those visits.
 */
export function sessionsOfUser(
  all: readonly Segment[],
  { fromMs, toMs }: TimeWindow,
  user: number,
  identity: Identity,
  workspace: Workspace,
): Sessions | null {
  const isInside = ({ firstTime, lastTime }: Segment): boolean =>
    lastTime >= fromMs && firstTime < toMs;
  const inside = all.filter(isInside);
  const outside = all.filter((segment) => !isInside(segment));
  const visits = new VisitsOfUsers(identity, [user]);
  const keys = new SessionKeyTable();
  const theirs = [...inside, ...mayShareWith(inside, outside)].filter((segment) => {
    workspace.check();
    let isAny = false;
    visits.forEachIn(segment, (visit) => {
      isAny = true;
      const [high, low] = [segment.sessionHigh[visit], segment.sessionLow[visit]];
      if (high !== 0 || low !== 0) keys.number(high, low);
    });
    return isAny;
  });
  if (theirs.length > fewPart * all.length) return null;
  const isTheirs = new Set(theirs);
  const others = all.filter((segment) => !isTheirs.has(segment));
  const segments = [...theirs, ...mayShareWith(theirs, others)];
  return new Sessions(numberFew(keys, segments, workspace.check), workspace);
}
