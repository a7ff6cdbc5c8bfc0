import { isoDate } from "../../domain/event";
import { type Days, datesOf, windowOf } from "../../domain/period";
import { categoriesIn, type TrustPolicy } from "../../domain/trust/flagged";
import type { FlaggedValue } from "../../domain/trust/found";
import { rulesVersion } from "../../domain/trust/rules";
import { inertText } from "../../lib/inert-text";
import { viewOf } from "../../reads/view";
import type { Read } from "../../store/port";
import type { Trust } from "./schema";

interface TrustInput {
  readonly projectId: string;
  readonly days: Days;
  readonly policy: TrustPolicy;
  readonly limit: number;
  readonly show: boolean;
}

const textCharsMax = 120;

/** GET /trust. */
export const trustRead: Read<TrustInput, Trust> = {
  name: "trust",
  scope: ({ projectId, days }) => ({ projectIds: [projectId], ...windowOf(days) }),
  isExact: ({ show }) => show,
  async run(snapshot, { projectId, days, policy, limit, show }) {
    const { cleared } = policy;
    const found = await snapshot.flaggedValues(viewOf(projectId, days, undefined), {
      cleared,
      limit,
    });
    const eventsOn = new Map(found.days.map(({ day, events }) => [day, events]));
    return {
      rules_version: rulesVersion,
      policy: { ...policy, cleared: [...cleared] },
      period: datesOf(days),
      summary: { ...found.sums, by_category: [...found.by_category] },
      time_series: Array.from({ length: days.to - days.from + 1 }, (_, index) => ({
        date: isoDate(days.from + index),
        events: eventsOn.get(days.from + index) ?? 0,
      })),
      values: found.values.map((value) => ({
        ...shown(value),
        cleared: cleared.includes(value.digest),
        ...(show && value.text !== null && { text: inert(value.text) }),
      })),
    };
  },
};

const shown = ({ field, key, categories, digest, length, ...counted }: FlaggedValue) => ({
  ...{ field, ...(field === "properties" && { key }) },
  ...{ categories: categoriesIn(categories), digest, length },
  ...{ events: counted.events, first_seen: counted.first_seen, last_seen: counted.last_seen },
});

/** Nothing active is left of it, and it says how much of it is left out. */
function inert(text: string): string {
  const points = [...text];
  if (points.length <= textCharsMax) return inertText(text);
  const left = points.length - textCharsMax;
  return `${inertText(points.slice(0, textCharsMax).join(""))}…+${left}`;
}
