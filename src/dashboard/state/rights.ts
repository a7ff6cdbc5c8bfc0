import { isGuest } from "../data/api";
import { account } from "./account";
import { canShow, isShown, shared } from "./share";

/**
 * The rights by which pages show their buttons, from the answer of GET /account: `people` sees single visitors, `edit`
 * changes settings of projects, `create` creates projects, `administer` administers the account.
 */
type Right = "people" | "edit" | "create" | "administer";

/** Tells whether whoever is looking has a right: nothing is shown that the server would refuse. */
export function may(right: Right): boolean {
  // The demo and shares show visitors as far as they show a page at all, and change nothing.
  if (isGuest.value) return right === "people";
  const own = account.value;
  if (own === null) return false;
  if (right === "people") return own.people;
  const isAdmin = own.role === "owner" || own.role === "admin";
  if (right === "administer") return isAdmin;
  const isEditor = isAdmin || own.role === "editor";
  return right === "edit" ? isEditor : isEditor && own.projects === null;
}

/** Tells whether single visitors may be told apart by this field. */
export const maySee = (field: string): boolean =>
  canShow(field) && (may("people") || !["user_id", "session_id"].includes(field));

/** Pages that show single visitors throughout. */
const ofVisitors = ["people", "sessions", "events", "replays"];

/** Tells whether whoever is looking may open a page of the dashboard. */
export function mayOpen(page: string): boolean {
  if (!isShown(page)) return false;
  if (shared !== null) return true;
  // The demo has no import and no export.
  if (isGuest.value) return page !== "move";
  if (page === "move") return may("people") || may("administer");
  return !ofVisitors.includes(page) || may("people");
}
