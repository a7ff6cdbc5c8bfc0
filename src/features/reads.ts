import type { ProjectRead } from "../http/operation/project-read";
import { alertChangeRead, alertGoalRead, alertWindowsRead } from "../reads/alerts";
import { dayRowsRead } from "../reads/day-rows";
import { eventsBeforeRead } from "../reads/events-before";
import { openSessionsRead } from "../reads/open-sessions";
import { propertiesRead } from "../reads/properties";
import { reportRead } from "../reads/report";
import { usageRead } from "../reads/usage";
import type { Read } from "../store/port";
import { allSitesRead } from "./all-sites/read";
import { accountBotTrafficRead, botTrafficRead } from "./bot-traffic/read";
import { breakdownRead } from "./breakdown/breakdown";
import { changesRead } from "./changes/changes";
import { eventsRead } from "./events/read";
import { experimentRead } from "./experiments/read";
import { funnelRead } from "./funnel/read";
import { heatmapRead } from "./heatmap/heatmap";
import { historyRead } from "./history/read";
import { eventsLookupRead, journeyRead, ownEventsRead } from "./identity/read";
import { insightsRead } from "./insights/insights";
import { pagesRead } from "./pages/pages";
import { pathsRead } from "./paths/paths";
import { listPropertiesRead, receivedRead } from "./properties/properties";
import { queryComparedRead } from "./query/compared";
import { queryGoalsRead } from "./query/goal-rows";
import { queryBatchRead, queryRead } from "./query/read";
import { sessionsAmongRead } from "./replays/filtered";
import { retentionRead } from "./retention/retention";
import { distributionRead } from "./sessions/distribution";
import { sessionsRead } from "./sessions/read";
import { statsRead } from "./stats/stats";
import { trustRead } from "./trust/read";

/** The reads that are operations by themselves, in the order in which the API reference lists them. */
export const projectReads: readonly ProjectRead<never, unknown>[] = [
  statsRead,
  listPropertiesRead,
  receivedRead,
  breakdownRead,
  pathsRead,
  insightsRead,
  changesRead,
  pagesRead,
  distributionRead,
  heatmapRead,
  retentionRead,
];

/** Every read that the product asks of the store. Reader threads find them by name, as functions do not travel. */
export const reads: ReadonlyMap<string, Read<never, unknown>> = new Map(
  [
    ...projectReads,
    eventsRead,
    queryRead,
    queryComparedRead,
    queryGoalsRead,
    queryBatchRead,
    propertiesRead,
    sessionsRead,
    funnelRead,
    eventsLookupRead,
    journeyRead,
    ownEventsRead,
    allSitesRead,
    botTrafficRead,
    trustRead,
    accountBotTrafficRead,
    experimentRead,
    historyRead,
    usageRead,
    eventsBeforeRead,
    openSessionsRead,
    alertChangeRead,
    alertWindowsRead,
    alertGoalRead,
    reportRead,
    dayRowsRead,
    sessionsAmongRead,
  ].map((read) => [read.name, read]),
);
