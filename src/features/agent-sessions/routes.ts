import { Elysia } from "elysia";
import type { Deps } from "../../http/deps";
import { approvalRoutes } from "./approval-routes";
import { sessionRoutes } from "./session-routes";
import { startRoutes } from "./start-routes";
import { tokenRoutes } from "./token-routes";

/** A machine asks, a person approves in the browser, the machine exchanges a code for tokens. */
export const agentSessionsRoutes = (deps: Deps) =>
  new Elysia({ name: "agent-sessions" })
    .use(startRoutes(deps))
    .use(approvalRoutes(deps))
    .use(tokenRoutes(deps))
    .use(sessionRoutes(deps));
