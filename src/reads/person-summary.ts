import { allTime } from "../domain/period";
import type { Export, ExportSource } from "../store/exports";
import type { EventStore } from "../store/port";
import {
  idsOf,
  narrowedToPerson,
  type PersonInProject,
  type PersonQuestion,
  personIn,
} from "./person-data";

/** The numbers of things that a project has stored about a person, and the sessions that lead to recordings. */
export interface PersonSummary {
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly userIds: readonly string[];
  readonly sessionIds: readonly string[];
  readonly events: number;
  readonly traits: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

async function summaryOf(source: ExportSource, one: PersonInProject): Promise<PersonSummary> {
  const { projectId, userIds, profiles } = one;
  const narrow = await narrowedToPerson(source, one);
  const view = { projectId, ...allTime };
  const sessionIds: string[] = [];
  for await (const piece of narrow.sessions(view)) {
    sessionIds.push(...piece.map(({ session_id: id }) => id));
  }
  const times = (which: "first_seen" | "last_seen"): number[] =>
    profiles.flatMap((profile) => profile[which] ?? []);
  return {
    ...{ projectId, ids: idsOf(one), userIds, sessionIds },
    events: await narrow.questions.eventCount(view, []),
    traits: profiles.reduce((sum, { traits }) => sum + Object.keys(traits).length, 0),
    firstMs: least(times("first_seen")),
    lastMs: most(times("last_seen")),
  };
}

const least = (times: readonly number[]): number | null =>
  times.reduce<number | null>((first, ms) => Math.min(first ?? ms, ms), null);
const most = (times: readonly number[]): number | null =>
  times.reduce<number | null>((last, ms) => Math.max(last ?? ms, ms), null);

/** Yields JSON of the summaries of the projects that know the person. */
export const personSummary: Export<PersonQuestion> = {
  name: "person summary",
  async *run(source, question) {
    const known = (await personIn(source, question)).filter(({ isKnown }) => isKnown);
    const summaries: PersonSummary[] = [];
    for (const one of known) summaries.push(await summaryOf(source, one));
    yield new TextEncoder().encode(JSON.stringify(summaries));
  },
};

/** The summaries of the projects that know the person, as of one moment. */
export async function summariesOf(
  store: Pick<EventStore, "openExport">,
  question: PersonQuestion,
): Promise<readonly PersonSummary[]> {
  const stream = await store.openExport(personSummary, question);
  try {
    const piece = await stream.next();
    const summaries: readonly PersonSummary[] = JSON.parse(new TextDecoder().decode(piece ?? none));
    return summaries;
  } finally {
    stream.close();
  }
}
const none = new TextEncoder().encode("[]");
