import Type from "typebox";
import { schema, trimmed } from "../lib/schema";
import { IsoTime, ProjectSelector } from "./fields";
import {
  activationEventsMax,
  annotationNoteCharsMax,
  annotationsMax,
  annotationTitleCharsMax,
  definitionCharsMax,
  glossaryMax,
  goalCharsMax,
  goalsMax,
  milestoneCharsMax,
  milestonesMax,
  termCharsMax,
} from "./limits";

/** Schemas of the project context: what is sent, what is told, and where every read of a project carries it. */

const text = (charsMax: number) => trimmed({ minLength: 1, maxLength: charsMax });
const closed = { additionalProperties: false };

export const Goals = Type.Array(text(goalCharsMax), {
  maxItems: goalsMax,
  description: "What this is for, in plain words.",
});
export const Milestones = Type.Array(text(milestoneCharsMax), { maxItems: milestonesMax });
const activationEvents = Type.Array(text(milestoneCharsMax), {
  maxItems: activationEventsMax,
  description: "Names of the events that make up the main path to success, in order.",
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
  { maxItems: glossaryMax, description: "What events are called, and what they mean." },
);
const annotation = {
  title: text(annotationTitleCharsMax),
  note: Type.Optional(text(annotationNoteCharsMax)),
};
const annotations = { maxItems: annotationsMax, description: "Major changes of the product." };

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
              occurred_at: trimmed({
                minLength: 1,
                maxLength: 40,
                description: "ISO date-time with a zone.",
              }),
              ...annotation,
            },
            closed,
          ),
          annotations,
        ),
      ),
    },
    { $id: "ProjectContextBody", ...closed },
  ),
);

export const ProjectContext = schema(
  Type.Object(
    {
      goals: Goals,
      activation_events: activationEvents,
      glossary,
      annotations: Type.Array(Type.Object({ occurred_at: IsoTime, ...annotation }, closed), {
        ...annotations,
        description: "Ascending by `occurred_at`.",
      }),
    },
    { $id: "ProjectContext", ...closed },
  ),
);

/** What the answers of reads about a project begin with. */
export const ofProject = {
  project: ProjectSelector,
  project_context: Type.Optional(ProjectContext),
};
