import { allTime } from "../../domain/period";
import { eventsTable } from "../../reads/export/events";
import { bytesOf, type Head, headLine, linesOf } from "../../reads/export/jsonl";
import { sessionsTable } from "../../reads/export/lists";
import { JsonText, type Table } from "../../reads/export/table";
import {
  narrowedToPerson,
  type PersonInProject,
  type PersonQuestion,
  personIn,
} from "../../reads/person-data";
import type { Export, ExportSource } from "../../store/exports";

interface NamedProject {
  readonly id: string;
  readonly name: string;
  readonly zone: string | null;
}
export interface PersonFile extends PersonQuestion {
  readonly head: Head;
  readonly projects: readonly NamedProject[];
}

/** The lines of the event store in a file about a person, without its last one. */
export const personExport: Export<PersonFile> = {
  name: "person",
  async *run(source, file) {
    yield bytesOf(headLine(file.head));
    for (const one of await personIn(source, file)) {
      const project = file.projects.find(({ id }) => id === one.projectId);
      if (project === undefined || !one.isKnown) continue;
      for (const table of await tablesOf(source, one, project)) {
        for await (const { text } of linesOf(table)) yield bytesOf(text);
      }
    }
  },
};

async function tablesOf(
  source: ExportSource,
  one: PersonInProject,
  project: NamedProject,
): Promise<readonly Table[]> {
  const narrow = await narrowedToPerson(source, one);
  const { id: projectId, zone } = project;
  const view = { projectId, ...allTime, ...(zone !== null && { zone }) };
  return [
    peopleTable(one, project),
    linksTable(one),
    eventsTable(narrow, view, null),
    sessionsTable(narrow, view),
  ];
}

const peopleTable = ({ userIds, profiles }: PersonInProject, project: NamedProject): Table => ({
  kind: "person",
  columns: ["project", "project_id", "user_id", "traits", "first_seen", "last_seen"],
  async *rows() {
    yield userIds.map((userId) => {
      const profile = profiles.find(({ user_id: id }) => id === userId);
      const traits = new JsonText(JSON.stringify(profile?.traits ?? {}));
      const { first_seen: first = null, last_seen: last = null } = profile ?? {};
      return [project.name, project.id, userId, traits, first, last];
    });
  },
});

const linksTable = ({ links }: PersonInProject): Table => ({
  kind: "identity",
  columns: ["previous_id", "user_id"],
  async *rows() {
    yield links.map(({ previous_id: previousId, user_id: userId }) => [previousId, userId]);
  },
});
