import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { eraseRoutes } from "./erase-routes";
import { personExportRoute } from "./export-route";

/** The operations for requests of visitors about their own data. */
export const peopleFeature = (deps: Deps): Feature => ({
  operations: [personExportRoute(deps), ...eraseRoutes(deps)],
});
