import { type Caller, memberOf } from "../../domain/caller";
import type { Deps } from "../../http/deps";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { audited, entryOf, note } from "../../store/control/audit";
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
    access: free("cookie", "", { role: "viewer", fresh: "with_factor" }),
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
      api_key: withSecurityMail(deps, caller, "key", () =>
        audited(
          deps.control,
          () => addKey(deps.control, memberOf(caller)),
          () => keyEntry(caller, "key_made"),
        ),
      ),
    }),
  });

const revokeKeyRoute = (deps: Deps) =>
  accountOperation("POST /account/revoke-key", {
    access: free("key", "", { role: "viewer", fresh: "with_factor" }),
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
        audited(
          deps.control,
          () => replaced(deps, caller),
          () => keyEntry(caller, "key_made"),
        ),
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
      const { control } = deps;
      audited(
        control,
        () => dropKey(control, memberOf(caller)),
        (isDropped) => (isDropped ? keyEntry(caller, "key_revoked") : null),
      );
      return { ok: true };
    },
  });

/** Replaces the key, with the entry of the one that ends. Runs within the change. */
function replaced({ control }: Deps, caller: Caller): string {
  if (keyOf(control, memberOf(caller)) !== undefined)
    note(control, keyEntry(caller, "key_revoked"));
  return replaceKey(control, memberOf(caller));
}

/** An account has one key for each member, so the member names it. */
function keyEntry(caller: Caller, action: "key_made" | "key_revoked") {
  const { personId: id, email: name } = memberOf(caller);
  return entryOf(caller, action, { type: "key", id, name });
}

const isoOrNull = (timeMs: number | null | undefined): string | null =>
  timeMs === null || timeMs === undefined ? null : new Date(timeMs).toISOString();
