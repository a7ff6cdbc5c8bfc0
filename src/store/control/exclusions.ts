import { eq } from "drizzle-orm";
import { Exclusions } from "../../domain/exclusions/exclusions";
import { type ExclusionRules, noRules } from "../../domain/exclusions/rules";
import { TwoGenerationCache } from "../../lib/two-generation-cache";
import type { ControlConnection, ControlDatabase } from "./database";
import { exclusion } from "./exclusion-tables";

export function exclusionRulesOfProject(db: ControlDatabase, projectId: string): ExclusionRules {
  const own = eq(exclusion.projectId, projectId);
  const row = db.select({ rules: exclusion.rules }).from(exclusion).where(own).get();
  return row === undefined ? noRules : (JSON.parse(row.rules) as ExclusionRules);
}

/** Replaces the rules of a project. */
export function setExclusionRules(
  control: ControlConnection,
  projectId: string,
  rules: ExclusionRules,
): void {
  control.write(() => {
    control.db.delete(exclusion).where(eq(exclusion.projectId, projectId)).run();
    if (Object.values(rules).every((list) => list.length === 0)) return;
    control.db
      .insert(exclusion)
      .values({ projectId, rules: JSON.stringify(rules) })
      .run();
  });
}

/** Rules are prepared for ingestion once, although its directories forget them with every change of control.db. */
const prepared = new TwoGenerationCache<string, Exclusions>(500);

/** The rules as ingestion asks them; null where there are none, so that most events cost one comparison. */
export const exclusionsOf = (rules: string | null): Exclusions | null =>
  rules === null
    ? null
    : prepared.get(rules, (text) => new Exclusions(JSON.parse(text) as ExclusionRules));
