import { policyDefault } from "../../domain/trust/flagged";
import { rulesVersion } from "../../domain/trust/rules";
import type { Example } from "../../http/operation/operation-doc";

export const trustExample: Example = {
  input: { project: "shop", since: "2026-01-14" },
  answer: {
    project: "shop",
    rules_version: rulesVersion,
    policy: policyDefault,
    period: { from: "2026-01-14", to: "2026-01-14" },
    summary: { values: 0, events: 0, by_category: [] },
    time_series: [{ date: "2026-01-14", events: 0 }],
    values: [],
  },
};
