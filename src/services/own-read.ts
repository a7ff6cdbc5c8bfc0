import { ownHostsOf } from "../domain/sources/referrer";
import { clock } from "../lib/clock";
import type { Control } from "../store/control/control";
import type { ProjectRow } from "../store/control/tables";
import type { EventStore, Read } from "../store/port";

interface Moment {
  readonly control: Control;
  readonly store: EventStore;
  readonly project: ProjectRow;
}

/** Makes a read that the server itself asks for, of the data that a member who sees everything would get. */
export async function ownRead<Question, Output>(
  { control, store, project }: Moment,
  read: Read<Question, Output>,
  question: Question,
): Promise<Output> {
  const { projectIds, policies } = control.dataVersions.ofProject(project.id);
  const { json } = await store.read(read, question, {
    accountId: project.accountId,
    signal: new AbortController().signal,
    arrivedAtMs: clock.nowMs(),
    facts: { projectIds, policies },
    ownHosts: ownHostsOf(project),
  });
  return JSON.parse(json);
}
