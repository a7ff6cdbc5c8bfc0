import type { Deps } from "../http/deps";
import type { Feature } from "../http/feature";
import { projectOperation } from "../http/operation/account-operation";
import { eventsBeforeRead } from "../reads/events-before";
import { usageRead } from "../reads/usage";
import { accountsFeature } from "./accounts/routes";
import { agentSessionsFeature } from "./agent-sessions/routes";
import { alertsFeature } from "./alerts/routes";
import { allSitesFeature } from "./all-sites/routes";
import { applicationDocument } from "./app-pages/application";
import { pagesFeature } from "./app-pages/routes";
import { archiveFeature } from "./archive/routes";
import { auditFeature } from "./audit/routes";
import { backupsFeature } from "./backups/routes";
import { billingFeature } from "./billing/routes";
import { botTrafficFeature } from "./bot-traffic/routes";
import { conditionsFeature } from "./conditions/routes";
import { demoFeature } from "./demo/routes";
import { diskFeature } from "./disk/routes";
import { docsFeature } from "./docs/routes";
import { eventsRead } from "./events/read";
import { eventsFeature } from "./events/routes";
import { exclusionsFeature } from "./exclusions/routes";
import { experimentsFeature } from "./experiments/routes";
import { exportFeature } from "./export/routes";
import { feedbackFeature } from "./feedback/routes";
import { funnelFeature } from "./funnel/routes";
import { goalsFeature } from "./goals/routes";
import { historyFeature } from "./history/routes";
import { identityFeature } from "./identity/routes";
import { importsFeature } from "./imports/routes";
import { arrivalsFeature } from "./ingest-diagnostics/routes";
import { mailFeature } from "./mail/routes";
import { oauthFeature } from "./oauth/routes";
import { peopleFeature } from "./people/routes";
import { portfolioContextFeature } from "./portfolio-context/routes";
import { portfoliosFeature } from "./portfolios/routes";
import { projectContextFeature } from "./project-context/routes";
import { projectsFeature } from "./projects/routes";
import { queryFeature } from "./query/routes";
import { projectReads } from "./reads";
import { replaysFeature } from "./replays/routes";
import { replayScriptFeature } from "./replays/script-routes";
import { reportsFeature } from "./reports/routes";
import { serviceFeature } from "./service/routes";
import { sessionsFeature } from "./sessions/routes";
import { sharesFeature } from "./shares/routes";
import { sourcesFeature } from "./sources/routes";
import { subscriptionsFeature } from "./subscriptions/routes";
import { trackerFeature } from "./tracker/routes";
import { trustFeature } from "./trust/routes";
import { viewsFeature } from "./views/routes";
import { webhooksFeature } from "./webhooks/routes";

const projectReadsFeature = (): Feature => ({
  operations: projectReads.map((read) => read.operation(projectOperation)),
});

/** All features, in the order in which the API reference lists them. */
export const features: readonly ((deps: Deps) => Feature)[] = [
  trackerFeature,
  replayScriptFeature,
  projectReadsFeature,
  eventsFeature,
  queryFeature,
  identityFeature,
  funnelFeature,
  sessionsFeature,
  botTrafficFeature,
  (deps) => historyFeature(deps, usageRead),
  trustFeature,
  (deps) => projectsFeature(deps, { usageRead, eventsBeforeRead }),
  exclusionsFeature,
  archiveFeature,
  sourcesFeature,
  importsFeature,
  exportFeature,
  peopleFeature,
  projectContextFeature,
  portfolioContextFeature,
  portfoliosFeature,
  goalsFeature,
  viewsFeature,
  (deps) => sharesFeature(deps, applicationDocument),
  accountsFeature,
  auditFeature,
  feedbackFeature,
  mailFeature,
  webhooksFeature,
  alertsFeature,
  reportsFeature,
  subscriptionsFeature,
  experimentsFeature,
  (deps) => replaysFeature(deps, eventsRead),
  conditionsFeature,
  backupsFeature,
  diskFeature,
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
