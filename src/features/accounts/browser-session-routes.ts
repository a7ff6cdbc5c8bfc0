import { and, desc, eq, gt, sql } from "drizzle-orm";
import { Elysia } from "elysia";
import { ApiError } from "../../domain/errors";
import { cookieSessionMs } from "../../domain/limits";
import type { Deps } from "../../http/deps";
import { nothing } from "../../http/input";
import { accountOperation } from "../../http/operation";
import { clock } from "../../lib/clock";
import type { Control } from "../../store/control/control";
import { cookieSession } from "../../store/control/tables";
import { BrowserSessions, EndedBrowserSession } from "./schema";

/** Where a person is logged in, and how to end that from elsewhere. */
export const browserSessionRoutes = (deps: Deps) =>
  new Elysia({ name: "browser-sessions" }).use(listRoute(deps)).use(endRoute(deps));

const listRoute = (deps: Deps) =>
  accountOperation(deps, "GET /account/browser-sessions", {
    doc: {
      id: "listBrowserSessions",
      summary: "Browsers that are logged in",
      description: "Each with the name of its browser and system, as it called itself at log-in.",
      tag: "Account",
    },
    takes: nothing,
    returns: { 200: BrowserSessions },
    handle: ({ caller }) => ({
      sessions: sessionsOf(deps.control, caller.account.id).map(
        ({ hash, label, createdAtMs, expiresAtMs }) => ({
          id: idOf(hash),
          label,
          is_current: hash === caller.sessionHash,
          created_at: new Date(createdAtMs).toISOString(),
          last_seen_at: new Date(expiresAtMs - cookieSessionMs).toISOString(),
        }),
      ),
    }),
  });

const endRoute = (deps: Deps) =>
  accountOperation(deps, "DELETE /account/browser-sessions/{id}", {
    doc: {
      id: "endBrowserSession",
      summary: "Log a browser out",
      description:
        "Its cookie stops at once. It may be the one that asks; POST /auth/logout clears that one's cookie as well.",
      tag: "Account",
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: EndedBrowserSession },
    handle: ({ caller, params: { id = "" } }) => {
      if (endSession(deps.control, caller.account.id, id)) return { ok: true, deleted: id };
      throw new ApiError(
        "NOT_FOUND",
        "There is no such session. GET /account/browser-sessions lists them.",
      );
    },
  });

const idChars = 16;
/** Enough of the hash to tell sessions apart; the secret cannot be found from it. */
const idOf = (hash: string): string => hash.slice(0, idChars);

/** The one seen last comes first. */
const sessionsOf = ({ db }: Control, accountId: string) =>
  db
    .select()
    .from(cookieSession)
    .where(
      and(eq(cookieSession.accountId, accountId), gt(cookieSession.expiresAtMs, clock.nowMs())),
    )
    .orderBy(desc(cookieSession.expiresAtMs), desc(cookieSession.createdAtMs))
    .all();

const endSession = (control: Control, accountId: string, id: string): boolean =>
  control.write(() => {
    const ended = control.db
      .delete(cookieSession)
      .where(
        and(
          eq(cookieSession.accountId, accountId),
          eq(sql`substr(${cookieSession.hash}, 1, ${idChars})`, id),
        ),
      )
      .returning({ hash: cookieSession.hash })
      .all();
    return ended.length > 0;
  });
