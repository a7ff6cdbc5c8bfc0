import type { Deps } from "../http/deps";
import type { Feature } from "../http/feature";
import { usageRead } from "../reads/usage";
import { accountsFeature } from "./accounts/routes";
import { agentSessionsFeature } from "./agent-sessions/routes";
import { allSitesFeature } from "./all-sites/routes";
import { applicationDocument } from "./app-pages/application";
import { pagesFeature } from "./app-pages/routes";
import { billingFeature } from "./billing/routes";
import { botTrafficFeature } from "./bot-traffic/routes";
import { breakdownFeature } from "./breakdown/routes";
import { changesFeature } from "./changes/routes";
import { demoFeature } from "./demo/routes";
import { docsFeature } from "./docs/routes";
import { eventsRead } from "./events/read";
import { eventsFeature } from "./events/routes";
import { experimentsFeature } from "./experiments/routes";
import { feedbackFeature } from "./feedback/routes";
import { funnelFeature } from "./funnel/routes";
import { heatmapFeature } from "./heatmap/routes";
import { identityFeature } from "./identity/routes";
import { arrivalsFeature } from "./ingest-diagnostics/routes";
import { insightsFeature } from "./insights/routes";
import { oauthFeature } from "./oauth/routes";
import { sessionPagesFeature } from "./pages/routes";
import { pathsFeature } from "./paths/routes";
import { portfolioContextFeature } from "./portfolio-context/routes";
import { portfoliosFeature } from "./portfolios/routes";
import { projectContextFeature } from "./project-context/routes";
import { projectsFeature } from "./projects/routes";
import { propertiesFeature } from "./properties/routes";
import { queryFeature } from "./query/routes";
import { replaysFeature } from "./replays/routes";
import { replayScriptFeature } from "./replays/script-routes";
import { retentionFeature } from "./retention/routes";
import { serviceFeature } from "./service/routes";
import { sessionsFeature } from "./sessions/routes";
import { sharesFeature } from "./shares/routes";
import { statsFeature } from "./stats/routes";
import { trackerFeature } from "./tracker/routes";
import { trustFeature } from "./trust/routes";
import { viewsFeature } from "./views/routes";

/** All features, in the order in which the API reference lists them. */
export const features: readonly ((deps: Deps) => Feature)[] = [
  trackerFeature,
  replayScriptFeature,
  statsFeature,
  eventsFeature,
  propertiesFeature,
  breakdownFeature,
  queryFeature,
  identityFeature,
  pathsFeature,
  funnelFeature,
  insightsFeature,
  changesFeature,
  sessionPagesFeature,
  sessionsFeature,
  heatmapFeature,
  retentionFeature,
  botTrafficFeature,
  trustFeature,
  (deps) => projectsFeature(deps, usageRead),
  projectContextFeature,
  portfolioContextFeature,
  portfoliosFeature,
  viewsFeature,
  (deps) => sharesFeature(deps, applicationDocument),
  accountsFeature,
  feedbackFeature,
  experimentsFeature,
  (deps) => replaysFeature(deps, eventsRead),
  billingFeature,
  demoFeature,
  agentSessionsFeature,
  oauthFeature,
  allSitesFeature,
  arrivalsFeature,
  pagesFeature,
  serviceFeature,
  docsFeature,
];
