import type { Control } from "../../store/control/control";
import type { ErasureRow } from "../../store/control/erasure-tables";
import type { Webhooks } from "./webhooks";

/** Queues a message about an erasure that is done, in the commit that notes it. It does not say who was erased. */
export function tellOfErasure(
  { control, webhooks }: { readonly control: Control; readonly webhooks: Pick<Webhooks, "queue"> },
  { id, accountId, projectId }: ErasureRow,
): void {
  const { byId, deletedById } = control.projects;
  const name = (byId(projectId) ?? deletedById(projectId))?.name ?? "";
  const data = { erasure: { id, state: "done" }, project: { id: projectId, name } };
  const lines = [`A person was erased from the project ${name}: ${id}.`];
  webhooks.queue(accountId, projectId, "person.erased", data, { lines, path: "/app" });
}
