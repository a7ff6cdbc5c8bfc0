import Type from "typebox";
import { ofOwner, schema, trimmed } from "../lib/schema";
import { IsoTime, ProjectName, ProjectSelector, Timestamp, timeCharsMax } from "./fields";
import { annotationsMax, definitionCharsMax } from "./limits";

const goalsMax = 5;
const goalCharsMax = 160;
const activationEventsMax = 8;
/** The length of the names of milestones, activation events, and events that a glossary entry explains. */
const milestoneCharsMax = 96;
const glossaryMax = 10;
const termCharsMax = 64;
const annotationTitleCharsMax = 120;
const annotationNoteCharsMax = 500;
const milestonesMax = 12;

/** Schemas of the project context: what is sent, what is told, and where every read of a project carries it. */

const text = (charsMax: number) => trimmed({ ...ofOwner, minLength: 1, maxLength: charsMax });
const closed = { additionalProperties: false };

export const Goals = Type.Array(text(goalCharsMax), {
  maxItems: goalsMax,
  description: "Goals of the project, in plain words.",
});
export const Milestones = Type.Array(text(milestoneCharsMax), { maxItems: milestonesMax });
const activationEvents = Type.Array(text(milestoneCharsMax), {
  maxItems: activationEventsMax,
  description: "Names of the events on the main path to success, in order.",
});
const glossary = Type.Array(
  Type.Object(
    {
      event_name: text(milestoneCharsMax),
      term: text(termCharsMax),
      definition: text(definitionCharsMax),
    },
    closed,
  ),
  { maxItems: glossaryMax, description: "Display names of events, and their meaning." },
);
const sentTime = trimmed({
  minLength: 1,
  maxLength: timeCharsMax,
  description: "ISO date-time with a zone.",
});
const annotation = {
  title: text(annotationTitleCharsMax),
  note: Type.Optional(text(annotationNoteCharsMax)),
};
const annotationId = Type.String({ pattern: "^ann_[a-z0-9]{16}$", maxLength: 20 });
const annotations = { maxItems: annotationsMax, description: "Major changes of the product." };
/** The time at which the context was last written. */
const UpdatedAt = Type.Union([Timestamp, Type.Null()], {
  description:
    "Unix ms. Send it as `If-Match` to refuse the write if the context has changed since.",
});

export const ProjectContextBody = schema(
  Type.Object(
    {
      project: ProjectSelector,
      goals: Type.Optional(Goals),
      activation_events: Type.Optional(activationEvents),
      glossary: Type.Optional(glossary),
      annotations: Type.Optional(
        Type.Array(
          Type.Object(
            {
              id: Type.Optional({
                ...annotationId,
                description:
                  "Id of an existing annotation. If absent, an equal annotation keeps its id.",
              }),
              occurred_at: sentTime,
              ...annotation,
            },
            closed,
          ),
          annotations,
        ),
      ),
      updated_at: Type.Optional({ ...UpdatedAt, description: "Same as `If-Match`." }),
    },
    { $id: "ProjectContextBody", ...closed },
  ),
);

export const Annotation = Type.Object(
  { id: annotationId, occurred_at: IsoTime, ...annotation },
  closed,
);
const context = {
  goals: Goals,
  activation_events: activationEvents,
  glossary,
  annotations: Type.Array(Annotation, {
    ...annotations,
    description: "Ascending by `occurred_at`.",
  }),
};
export const ProjectContext = schema(Type.Object(context, { $id: "ProjectContext", ...closed }));
export const WholeContext = Type.Object({ ...context, updated_at: UpdatedAt }, closed);

/** One annotation by itself. */
export const AnnotationBody = schema(
  Type.Object(
    { project: ProjectSelector, occurred_at: sentTime, ...annotation },
    {
      $id: "AnnotationBody",
      ...closed,
      examples: [
        { project: "shop", occurred_at: "2026-01-31T12:00:00+01:00", title: "New check-out" },
      ],
    },
  ),
);
export const AnnotationChange = schema(
  Type.Object(
    {
      occurred_at: Type.Optional(sentTime),
      title: Type.Optional(annotation.title),
      note: Type.Optional(
        trimmed({
          maxLength: annotationNoteCharsMax,
          description: "Send an empty text to remove it.",
        }),
      ),
    },
    { $id: "AnnotationChange", ...closed, examples: [{ title: "New check-out, for everybody" }] },
  ),
);

/** The fields with which the answers of reads about a project begin. */
export const ofProject = {
  project: ProjectName,
  project_context: Type.Optional(ProjectContext),
};
