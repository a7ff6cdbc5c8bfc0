/*
 * Four endpoints serve the dashboard.
 * Decision: GET /projects/{id}/arrivals and POST /projects/{id}/test-event; GET /account/browser-sessions and DELETE
 * /account/browser-sessions/{id}.
 * Because: the waiting page must tell what arrived and was not stored, and the dashboard's own Origin may not send
 * events; a person must see where they are logged in and end it.
 * Cost: four more paths to keep.
 */

import type { Role } from "../../domain/role";
import type { Scope } from "../../domain/scope";
import type { SharePage } from "../../domain/share";

/**
 * Who may call: a scope = API key, cookie, or an agent session that holds it; `key` = API key or cookie; `cookie` = a
 * browser session; `admin` = that of an administrator; `own` = any, but an agent session only about itself; `program` =
 * API key or agent session, each in its header; `optional` = with account:read or without any credential; `token` = the
 * public project token in the body or query; `none` = everybody.
 */
export type Access =
  | Scope
  | "key"
  | "cookie"
  | "admin"
  | "own"
  | "program"
  | "optional"
  | "token"
  | "none";

/** Tells whether an operation looks at an account's credential. */
export const hasAccount = (access: Access): boolean => access !== "none" && access !== "token";

export interface AccessRule {
  readonly access: Access;
  readonly plan: "free" | "pro";
  /** Counts towards the monthly reads of a plan and carries the usage headers. */
  readonly read: boolean;
  /** Demo sessions may call it. */
  readonly demo: boolean;
  /** The least role in the acting account. */
  readonly role: Role;
  /** It shows single visitors, or is about them. */
  readonly people: boolean;
  /** It concerns all projects of the account: whoever may see only some of them may not call it. */
  readonly isWhole: boolean;
  /** A browser needs a fresh sign-in for it (http/auth/fresh-sign-in.ts). */
  readonly fresh: FreshRule;
  /** It serves to turn a second factor on, so that who lacks the one that the account requires may call it. */
  readonly isBeforeFactor: boolean;
}

/** The cases in which a browser has to confirm an operation; `with_factor`: if the person has a second factor. */
export type FreshRule = "never" | "with_factor" | "always";

/** R: the operation is a read of the plan's month. D: demo sessions may call it. */
type Marks = "" | "R" | "D" | "RD";

/** The rights of members, where they differ from what the access says (`roleOf`). */
type Rights = Partial<Pick<AccessRule, "role" | "people" | "isWhole" | "fresh" | "isBeforeFactor">>;

export const free = (access: Access, marks: Marks = "", rights: Rights = {}): AccessRule =>
  rule(access, "free", marks, rights);
export const pro = (access: Access, marks: Marks = "", rights: Rights = {}): AccessRule =>
  rule(access, "pro", marks, rights);
const rule = (
  access: Access,
  plan: AccessRule["plan"],
  marks: Marks,
  rights: Rights,
): AccessRule => ({
  access,
  plan,
  read: marks.includes("R"),
  demo: marks.includes("D"),
  ...{
    role: roleOf(access),
    people: false,
    isWhole: false,
    fresh: "never",
    isBeforeFactor: false,
    ...rights,
  },
});

/** The role that an access needs where the operation does not say it: the strictest that could be meant. */
function roleOf(access: Access): Role {
  if (access === "cookie") return "owner";
  if (access === "key") return "admin";
  return access.endsWith(":write") ? "editor" : "viewer";
}

/** The terms under which shares of a project may ask an operation. */
export interface ShareRule {
  /** The page about single visitors that the share has to name. */
  readonly page?: SharePage;
  /**
   * The answer is made of more than events, or of events that no read looks at: shares with filters may not ask for it.
   */
  readonly isUnfiltered?: true;
}

/** Everything that an operation says about itself beside its input, its answer and its work. */
export interface Facts {
  readonly access: AccessRule;
  /** An operation that does not say it is closed to shares. */
  readonly shares?: ShareRule;
  /** The answer is a page for people: its errors are pages too, and other sites get no access. */
  readonly isPage?: true;
  /** The answer is a stream: there is no HEAD. */
  readonly isStream?: true;
  /**
   * Unknown fields change nothing. So it is with scripts, documents and probes, and with protocols that have rules of
   * their own; every other operation refuses what it does not know.
   */
  readonly isLenient?: true;
  /** It is called by the thousand a second, or by a probe: the log has its failures alone. */
  readonly isQuiet?: true;
  /** The input is in the query string. So it is for GET, where nothing is said. */
  readonly takesQuery?: true;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Method and path: `GET /projects/{id}`. */
export type OperationName = `${Method} /${string}`;

/** `GET /projects/{id}` → its method and path. */
export function splitName(name: string): { readonly method: string; readonly path: string } {
  const space = name.indexOf(" ");
  return { method: name.slice(0, space), path: name.slice(space + 1) };
}
