import type { Caller } from "../../domain/caller";
import { ApiError, invalidField } from "../../domain/errors";
import { emailOf } from "../../domain/identity";
import { isWebhookId } from "../../domain/subscription";
import type { Project } from "../../store/control/project-selector";
import type { Deps } from "../deps";
import { requireRole } from "./rights";

/**
 * Returns the targets of an alert or a report, each once: members who may see the project, webhooks of its account, and
 * addresses, which only administrators may name. Those in `known` were checked before. Throws MISSING_FIELDS and
 * FORBIDDEN.
 */
export function targetsOf(
  { control }: Pick<Deps, "control">,
  caller: Caller,
  project: Project,
  to: readonly string[],
  known: readonly string[] = [],
): readonly string[] {
  const targets = to.map((target) => (target.includes("@") ? addressOf(target) : target));
  for (const target of targets) {
    if (known.includes(target)) continue;
    if (target.includes("@")) requireRole("admin", caller);
    else requireKnown(control, project, target);
  }
  return [...new Set(targets)];
}

function requireKnown(control: Deps["control"], project: Project, target: string): void {
  const isKnown = isWebhookId(target)
    ? control.webhooks.byId(target)?.accountId === project.accountId
    : control.subscriptions.memberWhoSees(project, target) !== undefined;
  if (isKnown) return;
  throw invalidField(
    "to",
    `"to": ${target} is neither a member who may see the project, nor a webhook of the account, nor an email address.`,
  );
}

function addressOf(text: string): string {
  try {
    return emailOf(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw invalidField("to", '"to": an address must be one such as ann@example.com.');
  }
}
