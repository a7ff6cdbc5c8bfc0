import { dayMs } from "../lib/clock";
import { compareText } from "../lib/text";
import { invalidField } from "./errors";
import { type Days, parseDateTimeMs } from "./period";

/** What the numbers of a project mean, as its people wrote it down. */
export interface ProjectContext {
  readonly goals: readonly string[];
  readonly activation_events: readonly string[];
  readonly glossary: readonly GlossaryEntry[];
  /** Ascending by `occurred_at`. */
  readonly annotations: readonly Annotation[];
}
export interface GlossaryEntry {
  readonly event_name: string;
  readonly term: string;
  readonly definition: string;
}
export interface Annotation {
  /** UTC, with milliseconds. */
  readonly occurred_at: string;
  readonly title: string;
  readonly note?: string;
}

export const emptyContext: ProjectContext = {
  goals: [],
  activation_events: [],
  glossary: [],
  annotations: [],
};

/** A context as it was sent, in the form in which it is stored. Throws for a time that is none, or has no zone. */
export function projectContextOf(sent: Partial<ProjectContext>): ProjectContext {
  const { goals, activation_events, glossary, annotations } = { ...emptyContext, ...sent };
  const dated = annotations.map((annotation, index) => ({
    ...annotation,
    occurred_at: utcOf(annotation.occurred_at, `annotations[${index}].occurred_at`),
  }));
  // Of equal times, the one that was sent first stays first.
  dated.sort((a, b) => compareText(a.occurred_at, b.occurred_at));
  return { goals, activation_events, glossary, annotations: dated };
}

const endsInZone = /(?:Z|[+-]\d{2}:?\d{2})$/;

function utcOf(text: string, field: string): string {
  const timeMs = endsInZone.test(text) ? parseDateTimeMs(text) : null;
  if (timeMs !== null) return new Date(timeMs).toISOString();
  throw invalidField(
    field,
    `${field} must be an ISO date-time with a zone, such as 2026-01-31T12:00:00Z.`,
  );
}

/** What of a context concerns a window: all but annotations more than a day outside it. Null when nothing is left. */
export function contextWithin(
  { annotations, ...general }: ProjectContext,
  { from, to }: Days,
): ProjectContext | null {
  const near = annotations.filter(({ occurred_at }) => {
    const day = Math.floor(Date.parse(occurred_at) / dayMs);
    return day >= from - 1 && day <= to + 1;
  });
  const context = { ...general, annotations: near };
  return Object.values(context).some(({ length }) => length > 0) ? context : null;
}
