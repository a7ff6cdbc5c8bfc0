import { type ToldPercent, viewOfBudget } from "../../domain/budget";
import type { BudgetRow } from "../../store/control/budget-tables";
import type { Control } from "../../store/control/control";
import { membersWhoAdminister } from "../../store/control/people";
import type { Mail } from "../mail/mail";
import { budgetLetter } from "../mail/templates";
import type { Webhooks } from "../webhooks/webhooks";

export interface NoticeParts {
  readonly control: Control;
  readonly mail: Pick<Mail, "queue">;
  readonly webhooks: Pick<Webhooks, "queue">;
}

interface Reached {
  readonly what: "events" | "bytes";
  readonly percent: ToldPercent;
  readonly used: { readonly events: number; readonly bytes: number };
}

/** Queues the messages about a budget that a project has reached, in the commit that notes them. */
export function tellOfBudget(
  { control, mail, webhooks }: NoticeParts,
  row: BudgetRow,
  { what, percent, used }: Reached,
): void {
  const project = control.projects.byId(row.projectId);
  if (project === undefined) return;
  const { id, name, accountId } = project;
  for (const { email } of membersWhoAdminister(control, accountId)) {
    mail.queue("operator", email, (sender) =>
      budgetLetter(sender, { project: name, what, percent, whenOver: row.whenOver }),
    );
  }
  const budget = { ...viewOfBudget(row), reached: what, percent, used };
  const line = `The project ${name} has used ${percent}% of its budget of ${what}.`;
  webhooks.queue(
    accountId,
    id,
    "project.over_budget",
    { project: { id, name }, by: null, budget },
    { lines: [line], path: `/app/p/${encodeURIComponent(name)}/project/data` },
  );
}
