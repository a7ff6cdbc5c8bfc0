import type { AnyElysia } from "elysia";
import type { Deps } from "../http/deps";
import { usageRead } from "../reads/usage";
import { accountsRoutes } from "./accounts/routes";
import { agentSessionsRoutes } from "./agent-sessions/routes";
import { allSitesRoutes } from "./all-sites/routes";
import { pagesRoutes } from "./app-pages/routes";
import { billingRoutes } from "./billing/routes";
import { botTrafficRoutes } from "./bot-traffic/routes";
import { breakdownRoutes } from "./breakdown/routes";
import { demoRoutes } from "./demo/routes";
import { eventsRead } from "./events/read";
import { eventsRoutes } from "./events/routes";
import { experimentsRoutes } from "./experiments/routes";
import { feedbackRoutes } from "./feedback/routes";
import { funnelRoutes } from "./funnel/routes";
import { heatmapRoutes } from "./heatmap/routes";
import { identityRoutes } from "./identity/routes";
import { arrivalsRoutes } from "./ingest-diagnostics/routes";
import { insightsRoutes } from "./insights/routes";
import { sessionPagesRoutes } from "./pages/routes";
import { pathsRoutes } from "./paths/routes";
import { portfolioContextRoutes } from "./portfolio-context/routes";
import { portfoliosRoutes } from "./portfolios/routes";
import { projectContextRoutes } from "./project-context/routes";
import { projectsRoutes } from "./projects/routes";
import { propertiesRoutes, withAvailableProperties } from "./properties/routes";
import { queryRead } from "./query/read";
import { queryRoutes } from "./query/routes";
import { replaysRoutes } from "./replays/routes";
import { replayScriptRoutes } from "./replays/script-routes";
import { retentionRoutes } from "./retention/routes";
import { serviceRoutes } from "./service/routes";
import { sessionsRoutes } from "./sessions/routes";
import { sharesRoutes } from "./shares/routes";
import { statsRoutes } from "./stats/routes";
import { trackerRoutes } from "./tracker/routes";

import { viewsRoutes } from "./views/routes";

/** What the product can do, in the order of the contract's index. */
export const features: readonly ((deps: Deps) => AnyElysia)[] = [
  trackerRoutes,
  replayScriptRoutes,
  statsRoutes,
  eventsRoutes,
  propertiesRoutes,
  breakdownRoutes,
  (deps) => queryRoutes(deps, withAvailableProperties(deps)),
  identityRoutes,
  pathsRoutes,
  (deps) => funnelRoutes(deps, withAvailableProperties(deps)),
  insightsRoutes,
  sessionPagesRoutes,
  sessionsRoutes,
  heatmapRoutes,
  retentionRoutes,
  botTrafficRoutes,
  (deps) => projectsRoutes(deps, usageRead),
  projectContextRoutes,
  portfolioContextRoutes,
  portfoliosRoutes,
  viewsRoutes,
  (deps) => sharesRoutes(deps, queryRead),
  accountsRoutes,
  feedbackRoutes,
  experimentsRoutes,
  (deps) => replaysRoutes(deps, eventsRead),
  billingRoutes,
  demoRoutes,
  agentSessionsRoutes,
  allSitesRoutes,
  arrivalsRoutes,
  pagesRoutes,
  serviceRoutes,
];
