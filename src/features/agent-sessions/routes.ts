import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { approvalRoutes } from "./approval-routes";
import { sessionRoutes } from "./session-routes";
import { startRoutes } from "./start-routes";
import { tokenRoutes } from "./token-routes";

/** A machine asks, a person approves in the browser, the machine exchanges a code for tokens. */
export const agentSessionsFeature = (deps: Deps): Feature => ({
  operations: [
    ...startRoutes(deps),
    ...approvalRoutes(deps),
    ...tokenRoutes(deps),
    ...sessionRoutes(deps),
  ],
});
