import type { Deps } from "../../http/deps";
import type { Gauge } from "../../http/edge/metrics";
import { clock, secondMs } from "../../lib/clock";

/** Figures of the continuous backup; none where there is no backup, and none of what has not happened yet. */
export async function backupGauges({
  backups,
  backupDrill,
}: Pick<Deps, "backups" | "backupDrill">): Promise<readonly Gauge[]> {
  if (backups === null) return [];
  const { lastOkMs, failures, bytes } = await backups.status();
  const { seconds, last_ok_at: drilledAt, failures: drillFailures } = backupDrill.state;
  const figures: readonly (Omit<Gauge, "value"> & { readonly value: number | null })[] = [
    {
      name: "sightline_backup_last_success_timestamp_seconds",
      help: "When the target last had everything that was stored.",
      value: lastOkMs === null ? null : lastOkMs / secondMs,
    },
    {
      name: "sightline_backup_lag_seconds",
      help: "Seconds since then.",
      value: lastOkMs === null ? null : (clock.nowMs() - lastOkMs) / secondMs,
    },
    {
      ...{ name: "sightline_backup_failures_total", type: "counter", value: failures },
      help: "Backups that failed since the start.",
    },
    {
      ...{ name: "sightline_backup_bytes_total", type: "counter", value: bytes },
      help: "Bytes that were stored in the target since the start.",
    },
    {
      name: "sightline_backup_drill_last_success_timestamp_seconds",
      help: "When a drill last restored the backup.",
      value: drilledAt === null ? null : Date.parse(drilledAt) / secondMs,
    },
    {
      ...{ name: "sightline_backup_drill_seconds", value: seconds },
      help: "Duration of the newest drill.",
    },
    {
      ...{ name: "sightline_backup_drill_failures_total", type: "counter", value: drillFailures },
      help: "Drills that failed.",
    },
  ];
  return figures.flatMap((figure) =>
    figure.value === null ? [] : [{ ...figure, value: figure.value }],
  );
}
