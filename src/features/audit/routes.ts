/*
 * The audit log is read by whole dates, as everything else is.
 * Decision: `since` and `until` are dates in UTC, and a cursor is the time and the id of the last entry of its page.
 * Because: one grammar of time for all lists; and a page costs the same at the end of a long log as at its beginning.
 * Cost: who looks for a minute reads the entries of its date.
 */

import { daysOfCursor, decodeCursor, encodeCursor } from "../../domain/cursor";
import { pageLimitDefault } from "../../domain/limits";
import { daysOf, windowOf } from "../../domain/period";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { type AccessRule, free, type OperationName } from "../../http/operation/facts";
import type { OperationDoc } from "../../http/operation/operation-doc";
import { tableOf } from "../../http/operation/table";
import { clock } from "../../lib/clock";
import { type AuditPage, type AuditRow, auditEntries } from "../../store/control/audit-log";
import { auditExample, serverAuditExample } from "./examples";
import { AuditItem, AuditLog, AuditQuery } from "./schema";

/** The operations that show what was changed, by whom. None changes an entry. */
export const auditFeature = (deps: Deps): Feature => ({
  operations: [
    logRoute(deps, "GET /audit", free("key"), {
      id: "listAudit",
      summary: "List what was done in the account",
      description:
        "Who changed what, and when, newest first; sign-ins, lookups of visitors, viewed replays, exports and " +
        "imports too. No entry has a secret, an address of a machine, or a text of visitors. Members who see some " +
        "projects get the entries about these, and about no project.",
      tag: "Members",
      example: auditExample,
    }),
    logRoute(deps, "GET /admin/audit", free("admin"), {
      id: "listServerAudit",
      summary: "List what was done to the server",
      description:
        "Accounts that were made, changed or deleted, drills of the backup, and restores.",
      tag: "Administration",
      example: serverAuditExample,
    }),
  ],
});

const logRoute = (deps: Deps, name: OperationName, access: AccessRule, doc: OperationDoc) =>
  accountOperation(name, {
    access,
    doc,
    takes: AuditQuery,
    returns: { 200: AuditLog },
    table: { of: ({ entries }) => tableOf(AuditItem, entries) },
    handle: ({ caller, input }) => {
      const isServer = access.access === "admin";
      const accountId = isServer ? null : caller.account.id;
      const projects = isServer ? null : (caller.standing?.projects ?? null);
      return pageOf(deps, { accountId, projects }, input);
    },
  });

type Reader = Pick<AuditPage, "accountId" | "projects">;

function pageOf({ control }: Deps, reader: Reader, input: AuditQuery) {
  const { since, until, action = null, actor = null, limit = pageLimitDefault, cursor } = input;
  const question = { action, actor, account: reader.accountId };
  const sent = daysOf({ since, until, nowMs: clock.nowMs() });
  const decoded =
    cursor === undefined ? null : decodeCursor(cursor, question, ["number", "string"]);
  const days = decoded === null ? sent : daysOfCursor(decoded, sent, since, until);
  const [atMs, id] = decoded?.place ?? [];
  const before = decoded === null ? null : { atMs: Number(atMs), id: String(id) };
  // One more than asked tells whether there is a further page.
  const rows = auditEntries(control, {
    ...{ ...reader, ...windowOf(days), action, actor, before, limit: limit + 1 },
  });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    entries: shown.map(view),
    next_cursor:
      last === undefined
        ? null
        : encodeCursor(
            { place: [last.atMs, last.id], fromDay: days.from, toDay: days.to },
            question,
          ),
  };
}

const view = (row: AuditRow): AuditItem => ({
  id: row.id,
  at: new Date(row.atMs).toISOString(),
  actor: {
    ...(row.actorId !== null && { id: row.actorId }),
    ...(row.actorEmail !== null && { email: row.actorEmail }),
    kind: row.actorKind,
  },
  action: row.action,
  target: {
    ...{ type: row.targetType, id: row.targetId },
    ...(row.targetName !== null && { name: row.targetName }),
  },
  details: { ...row.details },
  ...(row.network !== null && { network: row.network }),
});
