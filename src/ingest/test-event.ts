import Type from "typebox";
import type { Deps } from "../http/deps";
import { accountOperation } from "../http/operation/account-operation";
import { free } from "../http/operation/facts";
import { clock } from "../lib/clock";
import { schema } from "../lib/schema";
import { findProjectByPath } from "../store/control/project-selector";
import { answerTo } from "./answer";
import type { IngestService } from "./ingest-service";
import { TrackAnswer } from "./schema";

const TestEventRequest = schema(Type.Object({}, { $id: "TestEventRequest" }));

/**
 * The dashboard's "send a test event". Its own Origin is not among a project's, so it
 * asks with the account's credential instead of the token; from there the event goes the way of all others.
 */
export const testEventRoute = (deps: Deps, ingest: IngestService) =>
  accountOperation("POST /projects/{id}/test-event", {
    access: free("projects:write"),
    doc: {
      id: "sendTestEvent",
      summary: "Store one test event",
      description:
        "Stores an event `test_event` with `path: /sightline-test`, so you can check that reads show it. It " +
        "counts like any other event.",
      tag: "Projects",
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: TestEventRequest,
    returns: { 202: TrackAnswer },
    handle: async ({ caller, params }) => {
      const project = findProjectByPath(deps, caller, params.id ?? "");
      const event = { event: "test_event", properties: { path: "/sightline-test" } };
      const { aside } = await ingest.deliver({
        body: { kind: "events", events: [event], token: null, sentAt: null, isBatch: false },
        // An event is of no portfolio, and who sends this one wants to see it.
        project: { ...project, membership: null, exclusions: null, blocked: null },
        origin: null,
        automated: null,
        country: null,
        excludedSender: null,
        receivedAtMs: clock.nowMs(),
      });
      return answerTo(aside);
    },
  });
