import { writeFileSync } from "node:fs";
import type { SourceKind } from "../../src/domain/source";
import { pathFromRoot } from "../support/suite/sources";
import { kindsWithSamples, samplesOf, submissionsOf } from "./samples";

/**
 * Golden pairs: what released clients sent, in samples/, and the submissions that are made of it, in golden/. Run this
 * file to write the second halves again, and read the difference before it is kept.
 */
export const goldenPath = (kind: SourceKind): string =>
  pathFromRoot(`test/dialects/golden/${kind}.json`);

export function goldenOf(kind: SourceKind): string {
  const pairs = samplesOf(kind).map((sample) => ({
    request: `${sample.method} ${sample.path.slice(0, 80)}`,
    becomes: submissionsOf(kind, sample),
  }));
  return `${JSON.stringify(pairs, null, 2)}\n`;
}

if (import.meta.main) {
  for (const kind of kindsWithSamples) writeFileSync(goldenPath(kind), goldenOf(kind));
}
