import type { Scope } from "../../domain/scope";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { publicOperation } from "../../http/operation/public-operation";
import { clock } from "../../lib/clock";
import { DemoSession } from "./schema";

const scopes: readonly Scope[] = [
  "account:read",
  "projects:read",
  "analytics:read",
  "experiments:read",
];

/** Switched off, the demo is a path that does not exist. */
export const demoFeature = (deps: Deps): Feature => ({
  operations: deps.config.demoEnabled ? [sessionRoute(deps)] : [],
});

const sessionRoute = (deps: Deps) =>
  publicOperation("POST /demo/session", {
    access: free("none"),
    doc: {
      id: "beginDemoSession",
      summary: "Try reads on a demo project, without an account",
      description:
        "Returns a read-only agent session for half an hour, for a demo project with 120 dates up to today and " +
        "recordings of some of its sessions. " +
        "Start with GET /stats?project=agentanalytics-demo, then POST /funnel with the steps page_view, " +
        "signup_started, signup, and GET /experiments/exp_demo_signup_cta. After a week without use, the first " +
        "session takes some seconds to create the demo.",
      tag: "Demo",
    },
    takes: nothing,
    returns: { 200: DemoSession },
    handle: async () => {
      const { id, accessToken, accessExpiresAtMs, ...project } = await deps.demo.begin(
        scopes,
        clock.nowMs(),
      );
      return {
        ok: true,
        mode: "demo",
        agent_session: {
          id,
          access_token: accessToken,
          access_expires_at: accessExpiresAtMs,
          scopes,
        },
        projects: [{ id: project.projectId, name: project.projectName }],
      } as const;
    },
  });
