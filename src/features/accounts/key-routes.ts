import { memberOf } from "../../domain/caller";
import type { Deps } from "../../http/deps";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { addKey, dropKey, keyOf, replaceKey } from "../../store/control/keys";
import { Done, KeyState, NewKey } from "./schema";
import { withSecurityMail } from "./security-mail";

/** The account's API key: one, shown once. */
export const keyRoutes = (deps: Deps) => [
  keyStateRoute(deps),
  newKeyRoute(deps),
  revokeKeyRoute(deps),
  deleteKeyRoute(deps),
];

const keyStateRoute = (deps: Deps) =>
  accountOperation("GET /account/api-key", {
    access: free("cookie", "", { role: "viewer" }),
    doc: {
      id: "getApiKey",
      summary: "Get the state of the API key",
      description: "The server does not store the key itself; `prefix` is its beginning.",
      tag: "Account",
    },
    takes: nothing,
    returns: { 200: KeyState },
    handle: ({ caller }) => {
      const key = keyOf(deps.control, memberOf(caller));
      return {
        has_api_key: key !== undefined,
        prefix: key?.prefix ?? null,
        created_at: isoOrNull(key?.createdAtMs),
        last_used_at: isoOrNull(key?.lastUsedAtMs),
      };
    },
  });

const newKeyRoute = (deps: Deps) =>
  accountOperation("POST /account/api-key", {
    access: free("cookie", "", { role: "viewer" }),
    doc: {
      id: "createApiKey",
      summary: "Create the API key",
      description: "Only this response shows the key. An account has one key.",
      tag: "Account",
      errors: ["API_KEY_EXISTS", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 201: NewKey },
    handle: ({ caller }) => ({
      ok: true,
      api_key: withSecurityMail(deps, caller, "key", () => addKey(deps.control, memberOf(caller))),
    }),
  });

const revokeKeyRoute = (deps: Deps) =>
  accountOperation("POST /account/revoke-key", {
    access: free("key", "", { role: "viewer" }),
    doc: {
      id: "replaceApiKey",
      summary: "Replace the API key",
      description: "The old key stops working immediately. Only this response shows the new one.",
      tag: "Account",
      errors: ["UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: NewKey },
    handle: ({ caller }) => ({
      ok: true,
      api_key: withSecurityMail(deps, caller, "key", () =>
        replaceKey(deps.control, memberOf(caller)),
      ),
    }),
  });

const deleteKeyRoute = (deps: Deps) =>
  accountOperation("DELETE /account/api-key", {
    access: free("cookie", "", { role: "viewer" }),
    doc: {
      id: "deleteApiKey",
      summary: "Delete the API key",
      description: "It stops working immediately: programs that use it get 401.",
      tag: "Account",
      errors: ["UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: Done },
    handle: ({ caller }) => {
      dropKey(deps.control, memberOf(caller));
      return { ok: true };
    },
  });

const isoOrNull = (timeMs: number | null | undefined): string | null =>
  timeMs === null || timeMs === undefined ? null : new Date(timeMs).toISOString();
