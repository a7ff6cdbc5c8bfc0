import type { Caller } from "../../domain/caller";
import type { webhookEventsOfProject } from "../../domain/webhook/events";
import type { Deps } from "../../http/deps";
import type { ProjectRow } from "../../store/control/tables";

/** Tells the webhooks of an account that a project came or went, in the commit that made it so. */
export function tellOfProject(
  { webhooks }: Pick<Deps, "webhooks">,
  { person }: Caller,
  { id, accountId, name }: ProjectRow,
  event: (typeof webhookEventsOfProject)[number],
): void {
  const by = person === null ? null : { id: person.id, email: person.email };
  const what = event === "project.created" ? "created" : "deleted";
  const who = by === null ? "" : ` by ${by.email}`;
  const shown = { lines: [`Project ${name} was ${what}${who}.`], path: "/app" };
  webhooks.queue(accountId, id, event, { project: { id, name }, by }, shown);
}
