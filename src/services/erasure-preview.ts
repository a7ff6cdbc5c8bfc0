import type { PersonQuestion } from "../reads/person-data";
import { type PersonSummary, summariesOf } from "../reads/person-summary";
import type { Control } from "../store/control/control";
import type { ErasureCounts } from "../store/control/erasure-tables";
import type { EventStore } from "../store/port";
import type { ReplayStore } from "../store/replay-port";
import { recordingsOf } from "./recordings-of-sessions";

interface Parts {
  readonly control: Pick<Control, "archiveErasures">;
  readonly store: EventStore;
  readonly replays: ReplayStore;
  readonly archive: { readonly hasPlace: boolean };
}

/** The numbers of things that an erasure would delete. */
export interface ErasurePreview {
  readonly counts: ErasureCounts;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}
/** The data of a person in the projects that have any. */
export interface FoundPerson {
  readonly preview: ErasurePreview;
  readonly summaries: readonly PersonSummary[];
}

/** Finds all data that the projects have of a person. Null when there is none. */
export async function personFound(
  parts: Parts,
  question: PersonQuestion,
): Promise<FoundPerson | null> {
  const known = await summariesOf(parts.store, question);
  const summaries = [...known, ...perhapsArchived(parts, question, known)];
  if (summaries.length === 0) return null;
  let recordings = 0;
  for (const { projectId, sessionIds } of summaries) {
    for await (const _ of recordingsOf(parts.replays, projectId, sessionIds)) recordings++;
  }
  const sum = (of: (one: PersonSummary) => number): number =>
    summaries.reduce((total, one) => total + of(one), 0);
  const counts: ErasureCounts = {
    ids: idsIn({ summaries }).length,
    events: sum(({ events }) => events),
    sessions: sum(({ sessionIds }) => sessionIds.length),
    replays: recordings,
    held: 0,
    traits: sum(({ traits }) => traits),
  };
  const times = summaries.flatMap(({ firstMs, lastMs }) => [firstMs, lastMs]);
  const seen = times.filter((ms) => ms !== null);
  const firstMs = seen.length === 0 ? null : Math.min(...seen);
  const lastMs = seen.length === 0 ? null : Math.max(...seen);
  return { preview: { counts, firstMs, lastMs }, summaries };
}

/** All ids of the person, in all projects. */
export const idsIn = ({ summaries }: Pick<FoundPerson, "summaries">): readonly string[] => [
  ...new Set(summaries.flatMap(({ ids }) => ids)),
];

/** A project may have the person in archived files alone; only reading all of them would show it. */
function perhapsArchived(
  { control, archive }: Parts,
  { person: { userId }, projectIds }: PersonQuestion,
  known: readonly PersonSummary[],
): readonly PersonSummary[] {
  if (userId === null || !archive.hasPlace) return [];
  const ids = [...new Set([userId, ...known.flatMap((one) => one.ids)])];
  const isKnown = new Set(known.map(({ projectId }) => projectId));
  return projectIds
    .filter((id) => !isKnown.has(id) && control.archiveErasures.hasFiles(id))
    .map((projectId) => ({ projectId, ids, ...nothingStored }));
}

const nothingStored = {
  ...{ userIds: [], sessionIds: [], events: 0, traits: 0, firstMs: null, lastMs: null },
};
