import type { AnyElysia } from "elysia";
import type { Deps } from "../http/deps";
import { accountsRoutes } from "./accounts/routes";
import { arrivalsRoutes } from "./arrivals/routes";
import { breakdownRoutes } from "./breakdown/routes";
import { eventsRoutes } from "./events/routes";
import { pagesRoutes } from "./pages/routes";
import { projectsRoutes } from "./projects/routes";
import { availableProperties, propertiesRoutes } from "./properties/routes";
import { queryRoutes } from "./query/routes";
import { serviceRoutes } from "./service/routes";
import { statsRoutes } from "./stats/routes";
import { trackerRoutes } from "./tracker/routes";
import { usageRead } from "./usage/read";

/** What the product can do, in the order of the contract's index. */
export const features: readonly ((deps: Deps) => AnyElysia)[] = [
  trackerRoutes,
  statsRoutes,
  eventsRoutes,
  propertiesRoutes,
  breakdownRoutes,
  (deps) => queryRoutes(deps, availableProperties(deps)),
  (deps) => projectsRoutes(deps, usageRead),
  accountsRoutes,
  arrivalsRoutes,
  pagesRoutes,
  serviceRoutes,
];
