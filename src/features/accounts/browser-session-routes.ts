import { memberOf } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { cookieSessionMs } from "../../domain/limits";
import type { Deps } from "../../http/deps";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { noteOfPerson } from "../../store/control/audit";
import {
  browserSessionsOf,
  endBrowserSession,
  idOfBrowserSession,
} from "../../store/control/browser-sessions";
import { personEntry } from "./person-entry";
import { BrowserSessions, EndedBrowserSession } from "./schema";

/** The operations that list where a person is logged in, and end that from elsewhere. */
export const browserSessionRoutes = (deps: Deps) => [listRoute(deps), endRoute(deps)];

const listRoute = (deps: Deps) =>
  accountOperation("GET /account/browser-sessions", {
    access: free("cookie", "", { role: "viewer" }),
    doc: {
      id: "listBrowserSessions",
      summary: "List logged-in browsers",
      description: "Each with the browser, operating system and network of the log-in.",
      tag: "Account",
    },
    takes: nothing,
    returns: { 200: BrowserSessions },
    handle: ({ caller }) => ({
      sessions: browserSessionsOf(deps.control, memberOf(caller).personId).map(
        ({ hash, label, network, createdAtMs, expiresAtMs }) => ({
          id: idOfBrowserSession(hash),
          label,
          network,
          is_current: hash === caller.sessionHash,
          created_at: new Date(createdAtMs).toISOString(),
          last_seen_at: new Date(expiresAtMs - cookieSessionMs).toISOString(),
        }),
      ),
    }),
  });

const endRoute = (deps: Deps) =>
  accountOperation("DELETE /account/browser-sessions/{id}", {
    access: free("cookie", "", { role: "viewer" }),
    doc: {
      id: "endBrowserSession",
      summary: "Log out a browser",
      description:
        "Its cookie stops working immediately. To log out this browser, POST /auth/logout also clears the " +
        "cookie.",
      tag: "Account",
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: EndedBrowserSession },
    handle: ({ caller, params: { id = "" } }) => {
      const { control } = deps;
      const { personId } = memberOf(caller);
      const isEnded = control.write(() => {
        if (!endBrowserSession(control, personId, id)) return false;
        noteOfPerson(control, personId, personEntry(caller, "signed_out_others"));
        return true;
      });
      if (isEnded) return { ok: true, deleted: id };
      throw new ApiError(
        "NOT_FOUND",
        "This browser session does not exist. GET /account/browser-sessions lists them.",
      );
    },
  });
