import { type ExclusionReason, exclusionReasons } from "../domain/exclusions/rules";
import { hourMs } from "../lib/clock";

/** Events that were excluded are counted for this time, in whole hours. */
const countedHours = 24;
/** The projects whose events are counted: those in which something was excluded lately. */
export const excludedProjectsMax = 1_000;

export type ExcludedNumbers = Readonly<Record<ExclusionReason, number>>;

/**
 * Counts the events of each project that its rules left out, in memory, hence since the start at most. It keeps numbers
 * alone: nothing of an excluded event is stored.
 */
export class ExcludedCounts {
  /** The projects in the order in which something was excluded last. */
  readonly #projects = new Map<string, HourlyCounts>();

  add(projectId: string, reasons: readonly ExclusionReason[], nowMs: number): void {
    if (reasons.length === 0) return;
    const counts = this.#projects.get(projectId) ?? new HourlyCounts();
    this.#projects.delete(projectId);
    this.#projects.set(projectId, counts);
    for (const reason of reasons) counts.add(reason, nowMs);
    const [silentest = ""] = this.#projects.keys();
    if (this.#projects.size > excludedProjectsMax) this.#projects.delete(silentest);
  }

  /** The events of the present hour and of the 23 before. */
  of(projectId: string, nowMs: number): ExcludedNumbers {
    return (this.#projects.get(projectId) ?? new HourlyCounts()).sums(nowMs);
  }
}

/** The numbers of the last hours, each in the place of the hour that is as many hours older. */
class HourlyCounts {
  readonly #hours = new Float64Array(countedHours);
  readonly #counts = new Uint32Array(countedHours * exclusionReasons.length);

  add(reason: ExclusionReason, nowMs: number): void {
    const hour = Math.floor(nowMs / hourMs);
    const place = hour % countedHours;
    const from = place * exclusionReasons.length;
    if (this.#hours[place] !== hour) this.#counts.fill(0, from, from + exclusionReasons.length);
    this.#hours[place] = hour;
    const at = from + exclusionReasons.indexOf(reason);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  sums(nowMs: number): ExcludedNumbers {
    const hour = Math.floor(nowMs / hourMs);
    const sums = { ip: 0, country: 0, path: 0, hostname: 0, blocked: 0 };
    for (const [place, of] of this.#hours.entries()) {
      if (of <= hour - countedHours || of > hour) continue;
      for (const [at, reason] of exclusionReasons.entries()) {
        sums[reason] += this.#counts[place * exclusionReasons.length + at] ?? 0;
      }
    }
    return sums;
  }
}
