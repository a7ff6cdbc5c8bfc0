/*
 * A segment knows which older ones share its sessions.
 * Decision: when there is nothing to merge, the compactor notes for each segment the older segments with events of the
 * same sessions, as runs of ids. A read opens the session keys of these segments only, or of all if there is no note.
 * Only projects with at least 16 segments have notes. If a note has more than 256 runs, the nearest become one: a note
 * may name too many segments, but never too few.
 * Because: a read of 7 days searched the keys of 90 days (60 of 100 ms for the first read, 10M events).
 * Cost: the compactor compares each new segment once with the keys of all others: 2 ms at 10M events, a twentieth of
 * its time. It caches up to 96 MB of keys until a minute after the last note.
 * Revisit: beyond 100 million events in a project, when most segments share with hundreds.
 */

import { lowerBound } from "../../../lib/sorted";
import type { Run } from "../segment/column";
import type { Segment } from "../segment/segment";
import { usualTuning } from "../tuning";
import { keysOf, SessionKeyTable, WantedKeys } from "./session-key-table";

/**
 * The note of a segment names the older segments that share its sessions. If two segments share a session, the note of
 * the newer segment names the older one. Segments never change, so a note stays true. A segment without a note may
 * share sessions with any older one.
 */

/** The note of a segment, as JSON. */
export interface OverlapNote {
  readonly id: number;
  readonly overlap: string;
}

interface RunWithGap {
  readonly firstId: number;
  lastId: number;
  /** The number of segments before this run that share no session, since the run before. */
  readonly gap: number;
}

/**
 * Returns the note of a segment: the runs of its project's older segments that share sessions with it. `older` begins
 * with the oldest. If there are very many runs, the nearest become one, which includes the segments between them.
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
  const runs: RunWithGap[] = [];
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

function joined(runs: readonly RunWithGap[], runsMax: number): RunWithGap[] {
  const surplus = Math.max(0, runs.length - runsMax);
  const nearest = runs.slice(1).sort((a, b) => a.gap - b.gap);
  const isJoined = new Set(nearest.slice(0, surplus));
  const left: RunWithGap[] = [];
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
  /** The newest segment without a note. It may share sessions with any older one. */
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
