/*
 * A segment knows which older ones share its sessions.
 * Decision: when nothing is to be merged, the compactor notes of each segment of a project with 16 or more of them
 * which older ones hold events of the same sessions, as runs of ids; a read opens session keys of those alone. Without
 * a note it opens all. Of more than 256 runs the nearest are joined: what is noted may be too much, never too little.
 * Because: a read of 7 days looked through the keys of 90 (60 of 100 ms at first touch, 10M events).
 * Cost: each new segment is held once against the keys of all others: 2 ms at 10M events, a twentieth of the
 * compactor's time; up to 96 MB of keys until a minute after the last one.
 * Revisit: beyond 100 million events in a project, when most segments share with hundreds.
 */

import { lowerBound } from "../../../lib/sorted";
import type { Run } from "../segment/column";
import type { Segment } from "../segment/segment";
import { usualTuning } from "../tuning";
import { keysOf, SessionKeyTable, WantedKeys } from "./session-key-table";

/**
 * Notes which segments of a project may hold events of the same sessions, so that a read of one week need not look at
 * the session keys of all other weeks. For each segment the older ones that share its sessions are kept; of two
 * segments the newer one therefore knows. Segments never change, so what was found stays true; one of which nothing is
 * known yet may share with any older one.
 */

/** What was found of a segment. */
export interface OverlapNote {
  readonly id: number;
  readonly overlap: string;
}

interface FoundRun {
  readonly firstId: number;
  lastId: number;
  /** The number of segments without its sessions that come before it. */
  readonly gap: number;
}

/**
 * What is kept of a segment: runs of its project's older segments, given oldest first, that share sessions with it. Of
 * very many runs the nearest are joined, with what lies between.
 */
export function overlapOf(
  segment: Segment,
  older: Iterable<Segment>,
  runsMax = usualTuning.overlapRunsMax,
): string {
  const keys = new SessionKeyTable();
  keysOf(segment, keys);
  if (keys.count === 0) return "[]";
  const wanted = new WantedKeys(keys);
  const runs: FoundRun[] = [];
  let gap = 0;
  for (const other of older) {
    if (!wanted.areIn(other)) {
      gap++;
      continue;
    }
    const last = runs.at(-1);
    if (last !== undefined && gap === 0) last.lastId = other.id;
    else runs.push({ firstId: other.id, lastId: other.id, gap });
    gap = 0;
  }
  return JSON.stringify(joined(runs, runsMax).map(({ firstId, lastId }): Run => [firstId, lastId]));
}

function joined(runs: readonly FoundRun[], runsMax: number): FoundRun[] {
  const surplus = Math.max(0, runs.length - runsMax);
  const nearest = runs.slice(1).sort((a, b) => a.gap - b.gap);
  const isJoined = new Set(nearest.slice(0, surplus));
  const left: FoundRun[] = [];
  for (const run of runs) {
    if (isJoined.has(run)) left[left.length - 1].lastId = run.lastId;
    else left.push(run);
  }
  return left;
}

/** Returns the other segments that may hold events of sessions in `segments`. */
export function mayShareWith(segments: readonly Segment[], others: readonly Segment[]): Segment[] {
  if (segments.length === 0 || others.length === 0) return [];
  const ids = segments.map(({ id }) => id).sort((a, b) => a - b);
  const known = segments.flatMap(({ info }) => info.overlap ?? []).sort(([a], [b]) => a - b);
  /** The newest of which nothing is known: it may share with any older one. */
  const unknownId = Math.max(
    0,
    ...segments.map(({ id, info }) => (info.overlap === null ? id : 0)),
  );
  const otherIds = others.map(({ id }) => id).sort((a, b) => a - b);
  const overlapping = new Set<number>();
  let at = 0;
  for (const [firstId, lastId] of known) {
    at = lowerBound(firstId, otherIds, at);
    for (; otherIds[at] <= lastId; at++) overlapping.add(otherIds[at]);
  }
  return others.filter(({ id, info }) => {
    if (id < unknownId || overlapping.has(id)) return true;
    if (info.overlap === null) return id > ids[0];
    return info.overlap.some(([firstId, lastId]) => ids[lowerBound(firstId, ids)] <= lastId);
  });
}
