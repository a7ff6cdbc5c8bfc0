import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import type { ProjectArrivals } from "../../services/ingest-diagnostics";
import { findProjectByPath } from "../../store/control/project-selector";
import { arrivalsExample } from "./examples";
import { remedyOfAutomated, remedyOfOrigin, remedyOfRefusal } from "./remedies";
import { ArrivalsRequest, ArrivalsResponse } from "./schema";

/** It lets "waiting for the first event" say what came instead. */
export const arrivalsFeature = (deps: Deps): Feature => ({
  operations: [
    accountOperation("GET /projects/{id}/arrivals", {
      access: free("projects:read"),
      doc: {
        id: "getArrivals",
        summary: "List recent arrivals that were not stored",
        description:
          "For setting up a site: whether events arrive, and which requests of the last 15 minutes were not " +
          "stored (automated requests, refused origins, refused events), each with a remedy. Kept in memory, so " +
          "it is empty after a restart. For numbers use GET /stats.",
        tag: "Projects",
        example: arrivalsExample,
        errors: ["NOT_FOUND"],
      },
      takes: ArrivalsRequest,
      returns: { 200: ArrivalsResponse },
      handle: ({ caller, params }) => {
        const { id } = findProjectByPath(deps, caller, params.id ?? "");
        return answerOf(id, deps.ingestDiagnostics.of(id, clock.nowMs()));
      },
    }),
  ],
});

const answerOf = (id: string, arrivals: ProjectArrivals) => ({
  project_id: id,
  first_event_at: arrivals.firstEventAtMs,
  last_event_at: arrivals.lastEventAtMs,
  stored: arrivals.stored,
  automated: arrivals.automated.map(({ what, requests, lastSeenAtMs }) => ({
    ...what,
    requests,
    last_seen_at: lastSeenAtMs,
    remedy: remedyOfAutomated(what.category),
  })),
  refused_origins: arrivals.refusedOrigins.map(({ what, requests, lastSeenAtMs }) => ({
    origin: what,
    requests,
    last_seen_at: lastSeenAtMs,
    remedy: remedyOfOrigin(what),
  })),
  refused_events: arrivals.refusedEvents.map(({ what, requests, lastSeenAtMs }) => ({
    ...what,
    requests,
    last_seen_at: lastSeenAtMs,
    remedy: remedyOfRefusal(what.code, what.field),
  })),
});
