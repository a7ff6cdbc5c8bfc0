import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import { Bounces, Count, ofWindow, Warnings } from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { allTime } from "../../domain/period";
import { durationBuckets, engagedFromBucket } from "../../domain/session";
import { pro } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { roundTo, sharePercent } from "../../lib/round";
import { schema } from "../../lib/schema";

const DistributionQuery = schema(
  Type.Object({ ...ofWindow, filters: Type.Optional(FiltersText) }, { $id: "DistributionQuery" }),
);

const BucketName = Type.Enum(durationBuckets.map(({ label }) => label));
type BucketName = Static<typeof BucketName>;
const Bucket = Type.Object({
  bucket: BucketName,
  sessions: Count,
  bounces: Bounces,
  avg_events: Type.Number(),
  pct: Type.Number({ description: "Percent of all sessions." }),
});

export const DistributionResponse = schema(
  Type.Object(
    {
      ...ofProject,
      distribution: Type.Array(Bucket, {
        maxItems: durationBuckets.length,
        description: "Only buckets with sessions.",
      }),
      median_bucket: Type.Union([BucketName, Type.Null()]),
      engaged_pct: Type.Number({ description: "Percent of sessions of 30 seconds or longer." }),
      warnings: Warnings,
    },
    { $id: "DistributionResponse" },
  ),
);

export const distributionRead = projectRead("GET /sessions/distribution", {
  access: pro("analytics:read", "RD"),
  shares: {},
  doc: {
    id: "getSessionDistribution",
    summary: "Get the distribution of session durations",
    description: "Sessions of the window by duration, with bounces and events per bucket.",
  },
  example: { project: "shop" },
  takes: DistributionQuery,
  returns: DistributionResponse,
  question: () => ({}),
  scope: () => allTime,
  ask: (snapshot, { view }) => snapshot.sessionGroups(view, "duration"),
  shape: (groups) => {
    const rows = groups
      .map(({ label, ...sums }): DurationRow => ({ bucket: Number(label), ...sums }))
      .sort((a, b) => a.bucket - b.bucket);
    const total = rows.reduce((sum, { sessions }) => sum + sessions, 0);
    const engaged = rows
      .filter(({ bucket }) => bucket >= engagedFromBucket)
      .reduce((sum, { sessions }) => sum + sessions, 0);
    return {
      distribution: rows.map(({ bucket, sessions, bounces, events }) => ({
        bucket: labelOf(bucket),
        sessions,
        bounces,
        avg_events: roundTo(events / sessions, 1),
        pct: sharePercent(sessions, total),
      })),
      median_bucket: medianOf(rows, total),
      engaged_pct: sharePercent(engaged, total),
    };
  },
});

/** Sums per bucket of durations, in order; buckets without sessions are left out. */
interface DurationRow {
  readonly bucket: number;
  readonly sessions: number;
  readonly bounces: number;
  readonly events: number;
}

/** The first bucket by which half of the sessions are counted. */
function medianOf(rows: readonly DurationRow[], total: number): BucketName | null {
  let counted = 0;
  for (const { bucket, sessions } of rows) {
    counted += sessions;
    if (counted * 2 >= total) return labelOf(bucket);
  }
  return null;
}

const labelOf = (bucket: number) => durationBuckets[bucket].label;
