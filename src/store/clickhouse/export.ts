import type { ExportedEvent, ExportedIdentity, ExportedProfile, ExportSource } from "../exports";
import type { View } from "../questions";
import { sessionPages } from "../shared/session-pages";
import { ticketOfUlid, ulid } from "../shared/ticket";
import { automatedByDayAndActor } from "./questions/automated";
import { latestLinks, traitsOf } from "./questions/people";
import { questionsOf } from "./questions/questions";
import { Bound } from "./sql/bound";
import { Events } from "./sql/events";
import { narrowedTo } from "./sql/narrowed";
import type { OpenRead } from "./sql/open-read";
import { propertiesColumns, propertiesText, type StoredProperties } from "./sql/stored-properties";
import { timeMs } from "./sql/values";

/** With the longest properties an answer of this many events has some hundred megabytes. */
const eventsPerAnswer = 5_000;

interface EventRow extends StoredProperties {
  readonly ticket: number;
  readonly time_ms: number;
  readonly name: string;
  readonly user: string;
  readonly session_id: string;
  readonly country: string;
}

/** This engine's lists of a project, as of the moment of the read. */
export const exportSourceOf = (read: OpenRead): ExportSource => ({
  questions: questionsOf(read),
  narrowedTo: async (projectId, filters) =>
    exportSourceOf(await narrowedTo(read, projectId, filters)),
  async *events(view, afterId) {
    let behind = afterId === null ? 0 : ticketOfUlid(afterId);
    for (const last of await lastTickets(read, view, behind)) {
      yield await eventsBetween(read, view, behind, last);
      behind = last;
    }
  },
  sessions: (view) => sessionPages(questionsOf(read), view),
  identities: (projectId) => pagesOf((after) => identitiesAfter(read, projectId, after)),
  async *profiles(projectId) {
    for await (const names of pagesOf<Named>((after) => namesToldAfter(read, projectId, after))) {
      yield await profilesOf(
        read,
        projectId,
        names.map(({ name }) => name),
      );
    }
  },
  async *automatedDays(projectId, dates) {
    yield await automatedByDayAndActor(read, { projectIds: [projectId], ...dates });
  },
});

const rowsPerAnswer = 2_000;

/** Yields the answers to a question, each about the rows behind the last row of the one before. */
async function* pagesOf<Row>(
  ask: (after: Row | null) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let last: Row | null = null;
  for (;;) {
    const rows: readonly Row[] = await ask(last);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerAnswer) return;
    last = rows.at(-1) ?? null;
  }
}

/** Binds the project and the last commit for a table of people. */
const knownOf = (read: OpenRead, bound: Bound, projectId: string): string =>
  `project = ${bound.integer(read.project(projectId).number)} and commit <= ${bound.integer(read.moment.lastCommit)}`;

function identitiesAfter(
  read: OpenRead,
  projectId: string,
  after: ExportedIdentity | null,
): Promise<ExportedIdentity[]> {
  const bound = new Bound();
  return read.ask<ExportedIdentity>(
    `select name as previous_id, argMax(owner, (generation, commit)) as user_id from ${read.database}.user_link
    where ${knownOf(read, bound, projectId)} and name > ${bound.text(after?.previous_id ?? "")}
    group by name having user_id not in ('', name)
    order by name limit ${bound.integer(rowsPerAnswer)}`,
    bound,
  );
}

interface Named {
  readonly name: string;
}

/** The ids of which /identify told traits or an address. */
function namesToldAfter(read: OpenRead, projectId: string, after: Named | null): Promise<Named[]> {
  const bound = new Bound();
  const known = knownOf(read, bound, projectId);
  return read.ask<Named>(
    `select distinct name from (
      select splitByChar('\\xFF', profile.sender)[1] as name from ${read.database}.profile where ${known}
      union all
      select email.user as name from ${read.database}.email as email where ${known} and membership = ''
    ) where name > ${bound.text(after?.name ?? "")} order by name limit ${bound.integer(rowsPerAnswer)}`,
    bound,
  );
}

async function profilesOf(
  read: OpenRead,
  projectId: string,
  names: readonly string[],
): Promise<ExportedProfile[]> {
  const bound = new Bound();
  const [links, digests] = await Promise.all([
    latestLinks(read, projectId, names),
    read.ask<{ user: string; digest: string }>(
      `select distinct email.user as user, lower(hex(digest)) as digest from ${read.database}.email as email
      where ${knownOf(read, bound, projectId)} and membership = '' and email.user in ${bound.texts(names)}
      order by digest`,
      bound,
    ),
  ]);
  const traits = await traitsOf(read, projectId, names, links);
  const emails = Map.groupBy(digests, ({ user }) => user);
  return names.flatMap((name): ExportedProfile[] => {
    const told = traits.get(name);
    const own = (emails.get(name) ?? []).map(({ digest }) => digest);
    if (told === undefined && own.length === 0) return [];
    return [{ user_id: name, traits: told ?? "{}", emails: own }];
  });
}

/** Returns the last ticket of each answer: asked for the next events alone, ClickHouse would sort all the rest. */
async function lastTickets(read: OpenRead, view: View, behind: number): Promise<number[]> {
  const bound = new Bound();
  const events = new Events(read, bound, view, `event.ticket > ${bound.integer(behind)}`);
  const rows = await read.ask<{ last: number }>(
    `select max(ticket) as last from (
      select ticket, intDiv(row_number() over (order by ticket) - 1, ${eventsPerAnswer}) as answer
      from ${events.sql()}
    ) group by answer order by last`,
    bound,
  );
  return rows.map(({ last }) => last);
}

async function eventsBetween(
  read: OpenRead,
  view: View,
  behind: number,
  to: number,
): Promise<ExportedEvent[]> {
  const bound = new Bound();
  const where = `event.ticket > ${bound.integer(behind)} and event.ticket <= ${bound.integer(to)}`;
  const events = new Events(read, bound, view, where);
  const rows = await read.ask<EventRow>(
    `select ticket, ${timeMs} as time_ms, name, user, session_id, country, ${propertiesColumns}
    from ${events.sql()} order by ticket`,
    bound,
  );
  const { number } = read.project(view.projectId);
  return rows.map((row) => ({
    id: ulid(number, row.ticket),
    timeMs: row.time_ms,
    name: row.name,
    userId: row.user || null,
    sessionId: row.session_id || null,
    country: row.country || null,
    properties: propertiesText(row),
  }));
}
