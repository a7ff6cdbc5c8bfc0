import { dayOf, isoDate } from "../../domain/event";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { clock } from "../../lib/clock";
import { roundTo } from "../../lib/round";
import { type Usage, type UsageInput, usageRead } from "../../reads/usage";
import { projectBytes } from "../../services/disk/project-bytes";
import { DiskState, diskProjectsMax } from "./schema";

const meanDays = 7;

/** The operation by which administrators see what the data takes, and how long the disk lasts. */
export const diskFeature = (deps: Deps): Feature => ({
  operations: [
    accountOperation("GET /admin/disk", {
      access: free("admin"),
      doc: {
        id: "getDisk",
        summary: "Get the state of the disk",
        description:
          "`tight` (below twice the reserve) stops new recordings and imports; `full` (below the reserve) stops " +
          'ingestion, with 503 and `reason: "disk"`.',
        tag: "Administration",
        errors: ["UNAVAILABLE"],
      },
      takes: nothing,
      returns: { 200: DiskState },
      handle: async ({ caller, request: { signal } }) => {
        await deps.disk.look();
        const { freeBytes, reserveBytes, perDayBytes, daysToFull, level } = deps.disk.figures;
        return {
          ...{ free_bytes: freeBytes, reserve_bytes: reserveBytes },
          used: await deps.disk.usedBytes(),
          per_day_bytes: perDayBytes,
          days_to_full: daysToFull === null ? null : roundTo(daysToFull, 1),
          level,
          projects: await largestProjects(deps, caller.account.id, signal),
        };
      },
    }),
  ],
});

async function largestProjects(
  deps: Deps,
  accountId: string,
  signal: AbortSignal,
): Promise<DiskState["projects"]> {
  const bytes = await projectBytes(deps, null);
  const largest = [...bytes]
    .flatMap(([id, size]) => {
      const owner = deps.control.projects.byId(id)?.accountId;
      return owner === undefined ? [] : [{ id, account_id: owner, bytes: size }];
    })
    .sort((one, other) => other.bytes - one.bytes || (one.id < other.id ? -1 : 1))
    .slice(0, diskProjectsMax);
  const nowMs = clock.nowMs();
  const today = dayOf(nowMs);
  const input: UsageInput = {
    projectIds: largest.map(({ id }) => id),
    ...{ fromDate: isoDate(today - meanDays), toDate: isoDate(today - 1) },
  };
  const read = { accountId, signal, arrivedAtMs: nowMs };
  const usage: Usage = JSON.parse((await deps.store.read(usageRead, input, read)).json);
  return largest.map((one) => {
    const { total_events: events = 0, days = {} } = usage[one.id] ?? {};
    const received = Object.values(days).reduce((sum, count) => sum + count, 0);
    return { ...one, events, events_per_day: roundTo(received / meanDays, 1) };
  });
}
