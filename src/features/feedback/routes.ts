import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { addFeedback, newestFeedback } from "../../store/control/feedback";
import { FeedbackBody, FeedbackList, FeedbackTaken } from "./schema";

/** The operation by which agents and people tell the administrator something. */
export const feedbackFeature = (deps: Deps): Feature => ({
  operations: [sendRoute(deps), listRoute(deps)],
});

const sendRoute = (deps: Deps) =>
  accountOperation("POST /account/feedback", {
    access: free("feedback:write", "", { role: "viewer" }),
    doc: {
      id: "sendFeedback",
      summary: "Send feedback to the administrator",
      description:
        "For missing, wrong or difficult things. Only the administrator of this server can read it. Do not " +
        "send secrets or personal data.",
      tag: "Account",
      errors: ["UNAVAILABLE"],
    },
    takes: FeedbackBody,
    returns: { 200: FeedbackTaken },
    handle: ({ caller, input }) => {
      addFeedback(deps.control, { accountId: caller.account.id, ...input });
      return { ok: true };
    },
  });

const listRoute = (deps: Deps) =>
  accountOperation("GET /admin/feedback", {
    access: free("admin"),
    doc: {
      id: "listFeedback",
      summary: "List feedback",
      description: "The newest 200, newest first.",
      tag: "Administration",
    },
    takes: nothing,
    returns: { 200: FeedbackList },
    handle: () => ({
      feedback: newestFeedback(deps.control).map(({ accountId, createdAtMs, ...said }) => ({
        ...said,
        account_id: accountId,
        created_at: new Date(createdAtMs).toISOString(),
      })),
    }),
  });
