import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { eraseRoutes } from "./erase-routes";
import { personExportRoute } from "./export-route";

/** What a person may ask of whoever has stored something about them. */
export const peopleFeature = (deps: Deps): Feature => ({
  operations: [personExportRoute(deps), ...eraseRoutes(deps)],
});
