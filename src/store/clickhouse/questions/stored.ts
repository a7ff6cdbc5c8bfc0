import { allTime } from "../../../domain/period";
import type { DataFacts, DataFactsRequest, WindowFacts } from "../../port";
import type { ReceivedDay, StoredEventCounts } from "../../questions";
import { sumOfWindows } from "../../shared/window-facts";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";
import { timeMs } from "../sql/values";
import { automatedTotals } from "./automated";

interface Extent {
  readonly events: number;
  readonly first: number;
  readonly last: number;
}

export async function storedEvents(read: OpenRead, projectId: string): Promise<StoredEventCounts> {
  const bound = new Bound();
  const [{ events, first, last }] = await read.ask<Extent>(
    `select count() as events, min(${timeMs}) as first, max(${timeMs}) as last
    from ${new Events(read, bound, { projectId, ...allTime }).sql()}`,
    bound,
  );
  return {
    total_events: events,
    first_event_at: events === 0 ? null : first,
    last_event_at: events === 0 ? null : last,
    // This store has no imports.
    first_own_at: events === 0 ? null : first,
    retained_from_ms: read.project(projectId).retainedFromMs,
  };
}

export async function receivedDays(
  read: OpenRead,
  projectId: string,
  fromDate: string,
  toDate: string,
): Promise<ReceivedDay[]> {
  const bound = new Bound();
  return read.ask<ReceivedDay>(
    `select date, argMax(row.event_count, commit) as event_count from ${read.database}.received_day as row
    where project = ${bound.integer(read.project(projectId).number)}
      and commit <= ${bound.integer(read.moment.lastCommit)}
      and date between ${bound.text(fromDate)} and ${bound.text(toDate)}
    group by date order by date`,
    bound,
  );
}

/** Returns what an answer says about the stored data. A segment is here a part of the table. */
export async function factsOf(
  read: OpenRead,
  { projectIds, window }: DataFactsRequest,
): Promise<Omit<DataFacts, "throughMs" | "flagged">> {
  const version = versionOf(read.moment.versions, projectIds);
  if (window === undefined) return { version };
  const found = await Promise.all(
    window.projectIds.map(async (projectId): Promise<WindowFacts> => {
      const bound = new Bound();
      const { number, retainedFromMs } = read.project(projectId);
      const [[scanned], automated] = await Promise.all([
        read.ask<{ rows: number; parts: number }>(
          `select count() as rows, uniqExact(_part) as parts from ${read.database}.event
          where project = ${bound.integer(number)} and ticket <= ${bound.integer(read.moment.lastTicket)}
            and time >= ${bound.time(Math.max(window.fromMs, retainedFromMs))} and time < ${bound.time(window.toMs)}`,
          bound,
        ),
        automatedTotals(read, { projectIds: [projectId], from: window.from, to: window.to }),
      ]);
      return {
        rows: scanned.rows,
        segments: scanned.parts,
        automatedRequests: automated.requests,
        retainedFromMs,
        hasImported: false,
      };
    }),
  );
  return { version, window: sumOfWindows(found) };
}

export const versionOf = (
  versions: ReadonlyMap<string, number>,
  projectIds: readonly string[],
): number => projectIds.reduce((sum, projectId) => sum + (versions.get(projectId) ?? 0), 0);
