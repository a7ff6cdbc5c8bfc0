import type { Snapshot, View } from "../../questions";
import { overviewOf } from "../../shared/overview";
import { changeCounts } from "../functions/change-counts";
import { eventsByDay } from "../functions/events-by-day";
import { experimentCounts } from "../functions/experiment-counts";
import { funnel } from "../functions/funnel";
import { newestEvents } from "../functions/newest-events";
import { newestKeys } from "../functions/newest-keys";
import { newestSessions } from "../functions/newest-sessions";
import { pageGroups } from "../functions/page-groups";
import { paths } from "../functions/paths";
import { retention } from "../functions/retention";
import { sessionGroups } from "../functions/session-groups";
import { eventCount, uniqueUsers } from "../functions/totals";
import {
  automatedByActor,
  automatedByCategory,
  automatedByDate,
  automatedByProject,
  automatedTotals,
} from "./automated";
import { countRows } from "./count-by";
import { comparedRows } from "./count-compared";
import { flaggedValues } from "./flagged-values";
import { digestsOf, mappedUsers, people, usersNamedWith, usersTold } from "./identities";
import { numbersOf, textNumbersOf } from "./numbers";
import type { OpenSnapshot } from "./open-snapshot";
import { receivedDays, storedEvents } from "./stored-counts";
import { timeSeries } from "./time-series";
import { hasProperty, valuesSeen } from "./values-seen";

/**
 * Answers the questions of `store/questions.ts`: a prepared statement chooses segments, and a vector function computes
 * over their columns. Longer answers are in the other files of this folder.
 */
export function questionsOf(snapshot: OpenSnapshot): Snapshot {
  const { context } = snapshot;
  const within = (view: View) => snapshot.segmentsWithin(view);
  /** The facts about a session follow from all its events, which may be in any segment. */
  const all = (view: View) => snapshot.segmentsOf(view.projectId);
  /** Ends the question after its answer, so that its segments release their columns. */
  const question =
    <Request extends unknown[], Answer>(answer: (...request: Request) => Answer) =>
    async (...request: Request): Promise<Answer> => {
      try {
        return answer(...request);
      } finally {
        context.endQuestion();
      }
    };
  const ofSnapshot = <Request extends unknown[], Answer>(
    answer: (snapshot: OpenSnapshot, ...request: Request) => Answer,
  ) => question((...request: Request) => answer(snapshot, ...request));

  const questions: Omit<Snapshot, "overview"> = {
    eventCount: question((view, conditions) => eventCount(context, within(view), view, conditions)),
    totals: question((view) => {
      const segments = within(view);
      return {
        unique_users: uniqueUsers(context, segments, view, []),
        total_events: eventCount(context, segments, view, []),
      };
    }),
    timeSeries: ofSnapshot(timeSeries),
    countBy: question((view, request) => countRows(snapshot, view, request)) as Snapshot["countBy"],
    valuesSeen: ofSnapshot(valuesSeen),
    hasProperty: ofSnapshot(hasProperty),
    textNumbers: ofSnapshot(textNumbersOf),
    numbers: ofSnapshot(numbersOf),
    countCompared: question((current, previous, request) =>
      comparedRows(snapshot, current, previous, request),
    ) as Snapshot["countCompared"],
    changeCounts: question((view, request) =>
      changeCounts(context, within(view), () => all(view), view, request),
    ),
    eventsByDay: question((view) => eventsByDay(context, within(view), view)),
    newestEvents: question((view, request) => newestEvents(context, within(view), view, request)),
    newestKeys: question((view, request) => newestKeys(context, within(view), view, request)),
    newestSessions: question((view, request) => newestSessions(context, all(view), view, request)),
    pageGroups: question((view, request) => pageGroups(context, all(view), view, request)),
    sessionGroups: question((view, by) => sessionGroups(context, all(view), view, by)),
    funnel: question((view, request) => funnel(context, within(view), view, request)),
    retention: question((projectId, request) => ({
      ...retention(context, snapshot.segmentsOf(projectId), request),
      retained_from_ms: snapshot.project(projectId).retainedFromMs,
    })),
    paths: question((view, request) => paths(context, all(view), view, request)),
    experimentCounts: question((view, request) =>
      experimentCounts(context, within(view), view, request),
    ),
    people: ofSnapshot(people),
    mappedUsers: ofSnapshot(mappedUsers),
    usersTold: ofSnapshot(usersTold),
    usersNamedWith: ofSnapshot(usersNamedWith),
    digestsOf: ofSnapshot(digestsOf),
    automatedTotals: ofSnapshot(automatedTotals),
    automatedByCategory: ofSnapshot(automatedByCategory),
    automatedByActor: ofSnapshot(automatedByActor),
    automatedByProject: ofSnapshot(automatedByProject),
    automatedByDate: ofSnapshot(automatedByDate),
    flaggedValues: ofSnapshot(flaggedValues),
    storedEvents: ofSnapshot(storedEvents),
    receivedDays: ofSnapshot(receivedDays),
  };
  return { ...questions, overview: (view, request) => overviewOf(questions, view, request) };
}
