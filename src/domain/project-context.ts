import { newId } from "../lib/ids";
import { compareText } from "../lib/text";
import { invalidField } from "./errors";
import { type Days, parseDateTimeMs } from "./period";
import { timeZoneOf } from "./time-zone";

/** The meaning of a project's numbers, as its people wrote it down. */
export interface ProjectContext {
  readonly goals: readonly string[];
  readonly activation_events: readonly string[];
  readonly glossary: readonly GlossaryEntry[];
  /** The annotations, ascending by `occurred_at`. */
  readonly annotations: readonly Annotation[];
}
interface GlossaryEntry {
  readonly event_name: string;
  readonly term: string;
  readonly definition: string;
}
export interface Annotation extends AnnotationFields {
  readonly id: string;
}
export interface AnnotationFields {
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

/** A context as it was sent. An annotation may name the id that it has already. */
export interface SentContext extends Partial<Omit<ProjectContext, "annotations">> {
  readonly annotations?: readonly SentAnnotation[];
}
type SentAnnotation = AnnotationFields & { readonly id?: string };

/**
 * A context as it was sent, in the form in which it is stored in the place of `current`, whose annotations keep their
 * ids. Throws for a time that is none, or has no zone.
 */
export function projectContextOf(
  { annotations = [], ...sent }: SentContext,
  current: ProjectContext = emptyContext,
): ProjectContext {
  const dated = annotations.map((annotation, index) =>
    annotationOf(annotation, `annotations[${index}].occurred_at`),
  );
  return { ...emptyContext, ...sent, annotations: inOrder(withIds(dated, current.annotations)) };
}

/** Returns the context with one annotation more. The caller has checked that there is room. */
export function withAnnotation(context: ProjectContext, added: AnnotationFields): Written {
  const annotation = { id: newId("ann"), ...annotationOf(added, "occurred_at") };
  return { annotation, context: replaced(context, [...context.annotations, annotation]) };
}

/** Returns the context with other fields in one of its annotations; an empty note removes the note. */
export function withChangedAnnotation(
  context: ProjectContext,
  before: Annotation,
  change: Partial<AnnotationFields>,
): Written {
  const { note, ...fields } = { ...before, ...change };
  const changed = annotationOf({ ...fields, ...(note && { note }) }, "occurred_at");
  const annotation = { ...changed, id: before.id };
  const list = context.annotations.map((one) => (one.id === before.id ? annotation : one));
  return { annotation, context: replaced(context, list) };
}

export const withoutAnnotation = (context: ProjectContext, id: string): ProjectContext =>
  replaced(
    context,
    context.annotations.filter((one) => one.id !== id),
  );

interface Written {
  readonly annotation: Annotation;
  readonly context: ProjectContext;
}

const replaced = (context: ProjectContext, annotations: readonly Annotation[]): ProjectContext => ({
  ...context,
  annotations: inOrder(annotations),
});

/** Sorts annotations by time, ascending. Of equal times, the one that was sent first stays first. */
const inOrder = (annotations: readonly Annotation[]): Annotation[] =>
  annotations.toSorted((a, b) => compareText(a.occurred_at, b.occurred_at));

const annotationOf = <Fields extends AnnotationFields>(sent: Fields, field: string): Fields => ({
  ...sent,
  occurred_at: utcOf(sent.occurred_at, field),
});

/** One that names no id of its own is the one that says the same, if there is one; else it is new. */
function withIds(
  sent: readonly SentAnnotation[],
  current: readonly Annotation[],
): readonly Annotation[] {
  const free = new Map(current.map((one) => [one.id, one]));
  const take = (id: string | undefined): string | null =>
    id !== undefined && free.delete(id) ? id : null;
  const named = sent.map(({ id, ...fields }) => ({ id: take(id), fields }));
  return named.map(({ id, fields }) => {
    const alike = (): string | undefined =>
      [...free.values()].find((one) => saysTheSame(one, fields))?.id;
    return { id: id ?? take(alike()) ?? newId("ann"), ...fields };
  });
}

const saysTheSame = (a: AnnotationFields, b: AnnotationFields): boolean =>
  a.occurred_at === b.occurred_at && a.title === b.title && a.note === b.note;

const endsInZone = /(?:Z|[+-]\d{2}:?\d{2})$/;

function utcOf(text: string, field: string): string {
  const timeMs = endsInZone.test(text) ? parseDateTimeMs(text) : null;
  if (timeMs !== null) return new Date(timeMs).toISOString();
  throw invalidField(
    field,
    `${field} must be an ISO date-time with a zone, such as 2026-01-31T12:00:00Z.`,
  );
}

/**
 * Returns the part of a context that concerns a window: all but annotations more than a day outside it. Null when
 * nothing is left.
 */
export function contextWithin(
  { annotations, ...general }: ProjectContext,
  { from, to, zone: zoneName }: Days,
): ProjectContext | null {
  const zone = timeZoneOf(zoneName);
  const near = annotations.filter(({ occurred_at }) => {
    const day = zone.dayAt(Date.parse(occurred_at));
    return day >= from - 1 && day <= to + 1;
  });
  const context = { ...general, annotations: near };
  return Object.values(context).some(({ length }) => length > 0) ? context : null;
}
