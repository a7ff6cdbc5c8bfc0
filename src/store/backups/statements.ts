import { Database } from "bun:sqlite";
import type { ProjectContent } from "./manifest";

const installation = "select value from setting where name = 'installation_id'";
const projects = `
  select project.name as id, coalesce(sum(event_count), 0) as events
  from project left join current_segment on current_segment.project_id = project.id
  group by project.id order by project.name`;
const projectNames = "select id, name from project order by name, id";
const lastTicket = `
  select coalesce(max(cast(value as integer)), 0) as ticket from setting where name = 'last_ticket'`;
const sealed = `
  select number, id, stored_bytes as bytes from replay where is_sealed = 1 order by number`;

/** Returns the id that all databases of a data folder carry. */
export function installationOf(controlFile: string): string {
  const db = new Database(controlFile, { readonly: true, strict: true });
  try {
    return (db.query(installation).get() as { value: string }).value;
  } finally {
    db.close();
  }
}

/** The projects of an installation. */
export function projectNamesIn(
  controlFile: string,
): readonly { readonly id: string; readonly name: string }[] {
  const db = new Database(controlFile, { readonly: true, strict: true });
  try {
    return db.query(projectNames).all() as { id: string; name: string }[];
  } finally {
    db.close();
  }
}

/** The events of each project, as they are stored: those that retention hides until they are removed are among them. */
export const projectsIn = (events: Database): readonly ProjectContent[] =>
  events.query(projects).all() as ProjectContent[];

export const lastTicketIn = (events: Database): number =>
  (events.query(lastTicket).get() as { ticket: number }).ticket;

/** The closed recordings, each of which has a file. */
export const sealedIn = (
  replays: Database,
): readonly { readonly number: number; readonly id: string; readonly bytes: number }[] =>
  replays.query(sealed).all() as { number: number; id: string; bytes: number }[];
