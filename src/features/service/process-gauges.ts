import { readdirSync } from "node:fs";
import type { Gauge } from "../../http/edge/metrics";
import { clock, secondMs } from "../../lib/clock";
import { commit, version } from "../../version";

/** Figures of the process itself, under the names that Prometheus clients give them. */
export function processGauges(certificateEndsAtMs: number | null): readonly Gauge[] {
  const openFiles = countOpenFiles();
  return [
    {
      name: "sightline_build_info",
      help: "The version and commit of this executable, as labels.",
      value: 1,
      labels: { version, commit: commit ?? "unknown" },
    },
    {
      name: "process_resident_memory_bytes",
      help: "Memory of the process in bytes.",
      value: process.memoryUsage.rss(),
    },
    ...(openFiles === null
      ? []
      : [{ name: "process_open_fds", help: "Open file descriptors.", value: openFiles }]),
    ...(certificateEndsAtMs === null ? [] : [untilEnd(certificateEndsAtMs)]),
  ];
}

const untilEnd = (endsAtMs: number): Gauge => ({
  name: "sightline_tls_expires_seconds",
  help: "Seconds until the certificate ends; negative after that.",
  value: Math.round((endsAtMs - clock.nowMs()) / secondMs),
});

/** Linux and macOS list the descriptors of a process in this folder; elsewhere the figure is missing. */
const descriptors = "/dev/fd";

function countOpenFiles(): number | null {
  try {
    return readdirSync(descriptors).length;
  } catch {
    return null;
  }
}
