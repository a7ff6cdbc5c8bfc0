import type { AutomatedDay, ExportedIdentity, ExportedProfile, ExportSource } from "../../exports";
import { sessionPages } from "../../shared/session-pages";
import { ticketOfUlid } from "../../shared/ticket";
import { eventsById } from "../functions/events-by-id";
import type { OpenSnapshot, Parameters } from "../questions/open-snapshot";
import { questionsOf } from "../questions/questions";

const rowsPerPiece = 2_048;

const USERS = `
  select name, number from user where project_id = :project and name > :after order by name limit :most`;

/** Selects the users with traits, links or addresses. Addresses belong to the project's own scope here. */
const PROFILES = `
  select * from (
    select name,
      coalesce((select traits from profile where project_id = :project and user = number), '{}') as traits,
      (select json_group_array(digest) from (
        select lower(hex(digest)) as digest from email_digest
        where project_id = :project and membership = '' and email_digest.user = name order by digest
      )) as emails
    from user where project_id = :project and name > :after
  ) where traits <> '{}' or emails <> '[]' order by name limit :most`;

const AUTOMATED = `
  select date, category, actor, sum(requests) as requests, sum(dropped_events) as dropped_events,
    max(last_seen_at) as last_seen_at
  from counted_automated_day
  where project_id = :project and date between :from and :to
    and date >= date(:retained_from / 1000, 'unixepoch')
    and (date, category, actor) > (:after_date, :after_category, :after_actor)
  group by date, category, actor order by date, category, actor limit :most`;

/** Returns this engine's lists of a project, which are valid as long as the snapshot. */
export function exportSourceOf(snapshot: OpenSnapshot): ExportSource {
  const { context } = snapshot;
  const questions = questionsOf(snapshot);
  return {
    questions,
    narrowedTo: async (_, filters) => exportSourceOf(snapshot.narrowedTo(filters)),
    async *events(view, afterId) {
      const after = afterId === null ? 0 : ticketOfUlid(afterId);
      yield* eventsById(context, snapshot.segmentsWithin(view), view, after);
    },
    sessions: (view) => sessionPages(questions, view),
    async *identities(projectId) {
      const { number: project } = snapshot.project(projectId);
      const identity = context.identity(project);
      const pages = pagesOf<UserRow>(snapshot, USERS, { project, after: "" }, ({ name }) => ({
        after: name,
      }));
      for (const page of pages) {
        yield page.flatMap(({ name, number }): ExportedIdentity[] => {
          const stands = identity.canonical(number);
          return stands === number
            ? []
            : [{ previous_id: name, user_id: identity.nameOf(stands) ?? name }];
        });
      }
    },
    async *profiles(projectId) {
      const { number: project } = snapshot.project(projectId);
      const first = { project, after: "" };
      const pages = pagesOf<ProfileRow>(snapshot, PROFILES, first, ({ name }) => ({ after: name }));
      for (const page of pages) yield page.map(profileOf);
    },
    async *automatedDays(projectId, { from, to }) {
      const { number: project, retainedFromMs } = snapshot.project(projectId);
      const first = {
        ...{ project, from, to, retained_from: retainedFromMs },
        ...{ after_date: "", after_category: "", after_actor: "" },
      };
      yield* pagesOf<AutomatedDay>(snapshot, AUTOMATED, first, ({ date, category, actor }) => ({
        after_date: date,
        after_category: category,
        after_actor: actor,
      }));
    },
  };
}

interface UserRow {
  readonly name: string;
  readonly number: number;
}
interface ProfileRow {
  readonly name: string;
  readonly traits: string;
  readonly emails: string;
}

const profileOf = ({ name, traits, emails }: ProfileRow): ExportedProfile => ({
  user_id: name,
  traits,
  emails: JSON.parse(emails),
});

/** Yields the rows of a statement piece by piece; `after` makes the place behind a row. */
function* pagesOf<Row>(
  snapshot: OpenSnapshot,
  statement: string,
  first: Parameters,
  after: (last: Row) => Parameters,
): Generator<readonly Row[]> {
  let place = first;
  for (;;) {
    const rows = snapshot.rows<Row>(statement, { ...place, most: rowsPerPiece });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerPiece) return;
    place = { ...place, ...after(last) };
  }
}
