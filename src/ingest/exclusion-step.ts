import type { BlockedIds } from "../domain/blocked-ids";
import type { NamedPage } from "../domain/exclusions/exclusions";
import type { ExclusionReason } from "../domain/exclusions/rules";
import { ObjectText } from "../lib/object-text";
import { memberOf, parseString } from "../store/shared/json-text";
import type { JsonObject } from "./properties";
import type {
  ExcludedEvent,
  Recipient,
  Submission,
  SubmittedEvent,
  SubmittedIdentity,
} from "./submission";

/** A submission without the events that rules exclude, and these. */
interface Narrowed {
  /** Null where nothing is left. */
  readonly left: Submission | null;
  readonly excluded: readonly ExcludedEvent[];
}
const nothing: readonly ExcludedEvent[] = [];

/** Leaves out the events that the project does not want. Identities that it does not want are left out uncounted. */
export function leaveOutExcluded(submission: Submission): Narrowed {
  const { body, project, excludedSender } = submission;
  const { exclusions, blocked } = project;
  if (exclusions === null && blocked === null) return { left: submission, excluded: nothing };
  if (body.kind === "identity") {
    const isWanted = excludedSender === null && !isOfBlocked(body.identity, blocked);
    return { left: isWanted ? submission : null, excluded: nothing };
  }
  const excluded: ExcludedEvent[] = [];
  const events: SubmittedEvent[] = [];
  const places: number[] = [];
  for (const [place, event] of body.events.entries()) {
    const reason = excludedSender ?? reasonOf(event, project);
    if (reason !== null) {
      excluded.push({ reason, sessionId: event.session_id || null });
      continue;
    }
    events.push(event);
    places.push(place);
  }
  if (excluded.length === 0) return { left: submission, excluded };
  if (events.length === 0) return { left: null, excluded };
  return { left: { ...submission, body: { ...body, events, places } }, excluded };
}

function reasonOf(
  { properties, user_id: userId }: SubmittedEvent,
  { exclusions, blocked }: Recipient,
): ExclusionReason | null {
  if (exclusions?.looksAtPages === true && properties !== null && properties !== undefined) {
    const reason = exclusions.ofPage(pageOf(properties));
    if (reason !== null) return reason;
  }
  return blocked !== null && isAmong(blocked, userId) ? "blocked" : null;
}

/** A link to a blocked id would give its events another name. */
const isOfBlocked = (
  { previous_id: previousId, user_id: userId }: SubmittedIdentity,
  blocked: BlockedIds | null,
): boolean => blocked !== null && (isAmong(blocked, previousId) || isAmong(blocked, userId));

/** An empty id is none. */
const isAmong = (blocked: BlockedIds, id: string | null | undefined): boolean =>
  id !== null && id !== undefined && id !== "" && blocked.has(id);

function pageOf(properties: JsonObject | ObjectText): NamedPage {
  const textOf =
    properties instanceof ObjectText ? textIn(properties.text) : (key: string) => properties[key];
  const page = (key: string): string | null => {
    const value = textOf(key);
    return typeof value === "string" && value !== "" ? value : null;
  };
  return { path: page("path"), hostname: page("hostname"), url: page("url") };
}

/** Reads a text under a key without taking the others apart. */
const textIn = (object: string) => (key: string) => {
  const value = memberOf(object, `"${key}"`);
  return value?.startsWith('"') === true ? parseString(value) : null;
};
