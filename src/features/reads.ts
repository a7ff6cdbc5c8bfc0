import { propertiesRead } from "../reads/properties";
import { usageRead } from "../reads/usage";
import type { Read } from "../store/port";
import { allSitesRead } from "./all-sites/read";
import { accountBotTrafficRead, botTrafficRead } from "./bot-traffic/read";
import { breakdownRead } from "./breakdown/read";
import { changesRead } from "./changes/read";
import { eventsRead } from "./events/read";
import { experimentRead } from "./experiments/read";
import { funnelRead } from "./funnel/read";
import { heatmapRead } from "./heatmap/read";
import { eventsLookupRead, journeyRead, ownEventsRead } from "./identity/read";
import { insightsRead } from "./insights/read";
import { pagesRead } from "./pages/read";
import { pathsRead } from "./paths/read";
import { receivedRead } from "./properties/read";
import { queryComparedRead } from "./query/compared";
import { queryBatchRead, queryRead } from "./query/read";
import { retentionRead } from "./retention/read";
import { distributionRead, sessionsRead } from "./sessions/read";
import { statsRead } from "./stats/read";
import { trustRead } from "./trust/read";

/** Every read that the product asks of the store. Reader threads find them by name, as functions do not travel. */
export const reads: ReadonlyMap<string, Read<never, unknown>> = new Map(
  [
    statsRead,
    eventsRead,
    queryRead,
    queryComparedRead,
    queryBatchRead,
    propertiesRead,
    receivedRead,
    breakdownRead,
    sessionsRead,
    distributionRead,
    pagesRead,
    heatmapRead,
    insightsRead,
    changesRead,
    retentionRead,
    funnelRead,
    pathsRead,
    eventsLookupRead,
    journeyRead,
    ownEventsRead,
    allSitesRead,
    botTrafficRead,
    trustRead,
    accountBotTrafficRead,
    experimentRead,
    usageRead,
  ].map((read) => [read.name, read]),
);
