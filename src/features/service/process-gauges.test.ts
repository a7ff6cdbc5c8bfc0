import { expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { clock } from "../../lib/clock";
import { version } from "../../version";
import { processGauges } from "./process-gauges";

const gaugeNamed = (name: string): number =>
  processGauges(null).find((gauge) => gauge.name === name)?.value ?? Number.NaN;

test("with TLS it tells the seconds until the certificate ends", () => {
  const name = "sightline_tls_expires_seconds";
  const find = (endsAtMs: number | null) =>
    processGauges(endsAtMs).find((one) => one.name === name);
  expect(find(null)).toBeUndefined();
  const restore = clock.replace(() => 1_000_000);
  expect(find(1_061_000)?.value).toBe(61);
  expect(find(990_000)?.value).toBe(-10);
  restore();
});

test("the process tells its version, memory and open files", () => {
  expect(processGauges(null)[0]).toMatchObject({
    name: "sightline_build_info",
    labels: { version, commit: expect.stringMatching(/^([0-9a-f]{40}|unknown)$/) },
  });
  expect(gaugeNamed("process_resident_memory_bytes")).toBeGreaterThan(1024 * 1024);
  const before = gaugeNamed("process_open_fds");
  const opened = Array.from({ length: 50 }, () => openSync(import.meta.path, "r"));
  // Other tests of this process may open and close files meanwhile.
  expect(gaugeNamed("process_open_fds")).toBeGreaterThan(before + 40);
  for (const descriptor of opened) closeSync(descriptor);
  expect(gaugeNamed("process_open_fds")).toBeLessThan(before + 10);
});
