/*
 * A form is answered in the language of who sent it.
 * Decision: approve and deny refuse with a page when the request accepts HTML, else with JSON; approving an
 * interactive request twice is 409, and the page sends its form once.
 * Because: people and programs use the same paths.
 * Cost: a third format in `http/edge/request-context.ts`.
 */

import { type Caller, memberOf } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { withParameters } from "../../domain/oauth";
import { isFresh, needsFreshSignIn } from "../../http/auth/fresh-sign-in";
import type { Deps } from "../../http/deps";
import { parseJson } from "../../http/edge/body";
import { formOperation, pageOperation } from "../../http/operation/browser-operation";
import { free } from "../../http/operation/facts";
import { isObject } from "../../http/operation/input";
import { htmlType, pageHeaders } from "../../http/pages/html";
import {
  type AuthRequest,
  approve,
  deny,
  exchangeCodeOf,
  requestById,
} from "../../store/control/auth-requests";
import { actingAccount } from "./acting-account";
import {
  approvalPage,
  approvedPage,
  deniedPage,
  donePage,
  finishPage,
  visitorPage,
} from "./approval-pages";
import { alreadyExchanged, endedAs } from "./refusals";

const tag = "Agent sign-in";

/** The pages and operations by which a person answers the request of a program. */
export const approvalRoutes = (deps: Deps) => [
  pageRoute(deps),
  approveRoute(deps),
  denyRoute(deps),
];

const pageRoute = (deps: Deps) =>
  pageOperation("GET /agent-sessions/authorize/{id}", {
    access: free("cookie", "", { role: "viewer" }),
    isPage: true,
    doc: {
      id: "getApprovalPage",
      summary: "Page to approve or deny a request",
      description:
        "The authorize_url of POST /agent-sessions/start. After log-in, the page shows the program, the requested " +
        "scopes, the destination of the code and the account.",
      tag,
      errors: ["NOT_FOUND", "AUTH_REQUEST_EXPIRED", "AUTH_REQUEST_REVOKED"],
      produces: htmlType,
    },
    handle: ({ caller, params }) => {
      const request = found(deps, params.id);
      const { state } = request;
      if (state === "expired" || state === "revoked") throw endedAs(state);
      if (state === "exchanged") return show(donePage);
      if (caller === null) return show(visitorPage(deps, request));
      if (state === "pending") {
        const isConfirmed = !needsFreshSignIn(approving, caller) || isFresh(caller);
        const page = approvalPage(request, actingAccount(deps, caller), isConfirmed);
        return show(page, formPolicy(request.callbackUrl));
      }
      return show(finish(deps, request, caller) ?? approvedPage);
    },
  });

/** The codes with which approving and denying are refused. */
const answeredErrors = [
  "NOT_FOUND",
  "AUTH_REQUEST_ALREADY_EXCHANGED",
  "AUTH_REQUEST_EXPIRED",
  "AUTH_REQUEST_REVOKED",
] as const;

const approving = free("cookie", "", { role: "viewer", fresh: "with_factor" });

const approveRoute = (deps: Deps) =>
  formOperation("POST /agent-sessions/authorize/{id}/approve", {
    access: approving,
    isPage: true,
    doc: {
      id: "approveAgentSession",
      summary: "Approve a request",
      description:
        "Sent by the approval page; the body may be empty. Interactive requests redirect to callback_url with " +
        "request_id and exchange_code. Detached requests show a page with the finish code.",
      tag,
      errors: answeredErrors,
      produces: htmlType,
      redirects: "sometimes",
    },
    handle: ({ caller, params, text }) => {
      const { control } = deps;
      const { id } = found(deps, params.id);
      const approved = approve(control, id, memberOf(caller), scopesAdded(text));
      if (approved === null) return answeredBefore(deps, id, caller);
      const code = exchangeCodeOf(control, approved);
      if (approved.callbackUrl === null || code === null) {
        return show(finish(deps, approved, caller) ?? approvedPage);
      }
      return approved.oauthClientId === null
        ? redirect(approved.callbackUrl, { request_id: id, exchange_code: code })
        : redirectOauth(deps, approved, { code });
    },
  });

/** The boxes that were ticked. */
function scopesAdded(text: string): readonly string[] {
  if (!text.startsWith("{")) return new URLSearchParams(text).getAll("scope");
  const sent = parseJson(text);
  const scope = isObject(sent) ? sent.scope : undefined;
  return [scope].flat().filter((one) => typeof one === "string");
}

/** A detached approval that is sent again, as reloading its page does, shows the same code. */
function answeredBefore(deps: Deps, id: string, caller: Caller): Response {
  const request = found(deps, id);
  const again = finish(deps, request, caller);
  if (again !== null) return show(again);
  throw pendingNoMore(request);
}

const denyRoute = (deps: Deps) =>
  formOperation("POST /agent-sessions/authorize/{id}/deny", {
    access: free("cookie", "", { role: "viewer" }),
    isPage: true,
    doc: {
      id: "denyAgentSession",
      summary: "Deny a request",
      description:
        "Sent by the approval page; the body may be empty. Interactive requests redirect to callback_url with " +
        "request_id and error=access_denied; detached requests show a page.",
      tag,
      errors: answeredErrors,
      produces: htmlType,
      redirects: "sometimes",
    },
    handle: ({ params }) => {
      const { id } = found(deps, params.id);
      const denied = deny(deps.control, id);
      if (denied === null) throw pendingNoMore(found(deps, id));
      if (denied.callbackUrl === null) return show(deniedPage);
      const error = { error: "access_denied" };
      return denied.oauthClientId === null
        ? redirect(denied.callbackUrl, { request_id: id, ...error })
        : redirectOauth(deps, denied, error);
    },
  });

function found({ control }: Deps, id = ""): AuthRequest {
  const request = requestById(control, id);
  if (request !== null) return request;
  throw new ApiError(
    "NOT_FOUND",
    "This sign-in request does not exist. Check the address, or start the sign-in again.",
  );
}

const pendingNoMore = ({ state }: AuthRequest): ApiError =>
  state === "expired" || state === "revoked" ? endedAs(state) : alreadyExchanged();

/** The page with the finish code, shown to the person who approved a detached request. */
function finish({ control }: Deps, request: AuthRequest, caller: Caller): string | null {
  const code = exchangeCodeOf(control, request);
  // Whichever account the address names now: the code belongs to the person who approved.
  const isOwn = request.personId === memberOf(caller).personId;
  return request.mode === "detached" && isOwn && code !== null ? finishPage(request, code) : null;
}

const show = (html: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(html, { headers: { ...headers, "content-type": htmlType } });

const redirect = (callback: string, parameters: Readonly<Record<string, string>>): Response =>
  new Response(null, {
    status: 302,
    headers: { location: withParameters(callback, parameters) },
  });

/** Back to a client that speaks OAuth, with its own state and our name (RFC 9207). */
const redirectOauth = (
  { config }: Deps,
  { callbackUrl, oauthState }: AuthRequest,
  answer: Readonly<Record<string, string>>,
): Response =>
  redirect(callbackUrl ?? "", {
    ...answer,
    ...(oauthState !== null && { state: oauthState }),
    iss: config.publicUrl,
  });

/**
 * The answer to the form may be a redirect to the callback, which browsers allow only where the page's policy names it;
 * and with no-referrer they would send the form without the Origin by which we know our own pages.
 */
function formPolicy(callbackUrl: string | null): Readonly<Record<string, string>> {
  const target = callbackUrl === null ? "" : ` ${sourceOf(new URL(callbackUrl))}`;
  const policy = pageHeaders["content-security-policy"] ?? "";
  return {
    "content-security-policy": policy.replace("form-action 'self'", `form-action 'self'${target}`),
    "referrer-policy": "same-origin",
  };
}

/** A policy has no way to name an IPv6 address, nor what lies behind the scheme of an application. */
const sourceOf = ({ hostname, origin, protocol }: URL): string =>
  hostname.startsWith("[") || !/^https?:$/.test(protocol) ? protocol : origin;
