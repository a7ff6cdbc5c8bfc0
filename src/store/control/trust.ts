import { and, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import { ApiError } from "../../domain/errors";
import { policyDefault, type TrustPolicy } from "../../domain/trust/flagged";
import type { ControlConnection, ControlDatabase } from "./database";
import { type ProjectRow, project } from "./tables";

/** The decisions of a project's owner about flagged texts. */
export const policyOf = ({ trust }: Pick<ProjectRow, "trust">): TrustPolicy =>
  trust === null ? policyDefault : (JSON.parse(trust) as TrustPolicy);

/** Returns the decisions of those of these projects whose owner made one. */
export function policiesOf(
  db: ControlDatabase,
  projectIds: readonly string[],
): Readonly<Record<string, TrustPolicy>> {
  const found = db
    .select({ id: project.id, trust: project.trust })
    .from(project)
    .where(and(inArray(project.id, [...projectIds]), isNotNull(project.trust)))
    .all();
  return Object.fromEntries(found.map(({ id, trust }) => [id, policyOf({ trust })]));
}

/** Throws NOT_FOUND when it was deleted meanwhile. */
export function setPolicy(control: ControlConnection, id: string, policy: TrustPolicy): void {
  const trust = Bun.deepEquals(policy, policyDefault) ? null : JSON.stringify(policy);
  control.write(() => {
    const row = control.db
      .update(project)
      .set({ trust })
      .where(and(eq(project.id, id), isNull(project.deletedAtMs)))
      .returning({ id: project.id })
      .get();
    if (row === undefined) throw new ApiError("NOT_FOUND", "This project was deleted.");
  });
}
