import { type Budget, budgetOf, type SentBudget, viewOfBudget } from "../../domain/budget";
import type { Caller } from "../../domain/caller";
import { requireRole } from "../../http/auth/rights";
import type { Deps } from "../../http/deps";

export function budgetOfProject({ control }: Deps, projectId: string): SentBudget | null {
  const row = control.budgets.of(projectId);
  return row === undefined ? null : viewOfBudget(row);
}

/** Checks a budget that an administrator of the account sends. Throws FORBIDDEN and MISSING_FIELDS. */
export function checkBudget(caller: Caller, sent: SentBudget | null): Budget | null {
  requireRole("admin", caller);
  return sent === null ? null : budgetOf(sent);
}
