import { type Caller, memberOf } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { isAtLeast } from "../../domain/role";
import { knownScopes } from "../../domain/scope";
import type { Deps } from "../../http/deps";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock } from "../../lib/clock";
import { revoke, type SessionsShown, sessionsOf } from "../../store/control/agent-sessions";
import type { AgentSessionRow } from "../../store/control/agent-tables";
import { actorOf } from "../../store/control/audit";
import { sessionsExample } from "./examples";
import { AgentSessions, Revoked, RevokeRequest } from "./schema";

/** The sessions of an account: seeing and ending them. */
export const sessionRoutes = (deps: Deps) => [listRoute(deps), revokeRoute(deps)];

const listRoute = (deps: Deps) =>
  accountOperation("GET /account/agent-sessions", {
    access: free("account:read"),
    doc: {
      id: "listAgentSessions",
      summary: "List agent sessions",
      description:
        "The newest 200, including sessions that ended in the last 90 days. End one with POST " +
        "/agent-sessions/revoke. last_used_at may be a minute late.",
      tag: "Account",
      example: sessionsExample,
    },
    takes: nothing,
    returns: { 200: AgentSessions },
    handle: ({ caller }) => ({
      sessions: sessionsOf(deps.control, shownTo(caller)).map(view),
    }),
  });

/** Administrators see the agents of all members, others their own. */
function shownTo(caller: Caller): SessionsShown {
  const { accountId, personId } = memberOf(caller);
  const isAdmin = caller.standing !== null && isAtLeast(caller.standing.role, "admin");
  return isAdmin ? { accountId } : { accountId, personId };
}

function view(session: AgentSessionRow) {
  const { refreshExpiresAtMs, revokedAtMs } = session;
  const endedAtMs =
    revokedAtMs ?? (refreshExpiresAtMs <= clock.nowMs() ? refreshExpiresAtMs : null);
  return {
    id: session.id,
    client_type: session.clientType,
    client_name: session.clientName,
    client_instance_id: session.clientInstanceId,
    label: session.label,
    scopes: [...knownScopes(session.scopes.split(" "))],
    status: endedAtMs === null ? ("active" as const) : ("revoked" as const),
    created_at: session.createdAtMs,
    last_used_at: session.lastUsedAtMs,
    access_expires_at: session.accessExpiresAtMs,
    refresh_expires_at: refreshExpiresAtMs,
    revoked_at: endedAtMs,
  };
}

const revokeRoute = (deps: Deps) =>
  accountOperation("POST /agent-sessions/revoke", {
    access: free("own"),
    doc: {
      id: "revokeAgentSession",
      summary: "End an agent session",
      description:
        "Its tokens stop working immediately. An agent signs out with its own id; the API key and the " +
        "dashboard can end any session of the account. Responds the same if it has already ended.",
      tag: "Account",
      errors: ["NOT_FOUND"],
    },
    takes: RevokeRequest,
    returns: { 200: Revoked },
    handle: ({ caller, input }) => {
      const { session_id: id } = input;
      if (caller.kind === "agent" && caller.id !== id) {
        throw new ApiError(
          "FORBIDDEN",
          "An agent session can only end itself. Use the API key or the dashboard to end another one.",
        );
      }
      if (!revoke(deps.control, actorOf(caller), shownTo(caller), id)) {
        const message =
          "This account does not have this agent session. GET /account/agent-sessions lists them.";
        throw new ApiError("NOT_FOUND", message);
      }
      return { ok: true, session_id: id };
    },
  });
