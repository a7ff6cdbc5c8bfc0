import Type from "typebox";
import { IsoTime, ObjectId } from "../../domain/fields";
import { feedbackListMax } from "../../domain/limits";
import { ofVisitors, orNull, schema } from "../../lib/schema";

const feedbackCharsMax = 4_000;
const feedbackProjectCharsMax = 96;
const feedbackCommandCharsMax = 1_000;

const message = Type.String({ minLength: 1, maxLength: feedbackCharsMax });
const project = Type.String({
  maxLength: feedbackProjectCharsMax,
  description: "Project it is about, as free text.",
});
const command = Type.String({
  maxLength: feedbackCommandCharsMax,
  description: "The command you tried.",
});
const context = Type.String({
  maxLength: feedbackCharsMax,
  description: "The result you expected.",
});

export const FeedbackBody = schema(
  Type.Object(
    {
      message,
      project: Type.Optional(project),
      command: Type.Optional(command),
      context: Type.Optional(context),
    },
    { $id: "FeedbackBody" },
  ),
);

export const FeedbackTaken = schema(
  Type.Object({ ok: Type.Literal(true) }, { $id: "FeedbackTaken" }),
);

export const FeedbackList = schema(
  Type.Object(
    {
      feedback: Type.Array(
        Type.Object({
          id: ObjectId,
          account_id: ObjectId,
          message: { ...message, ...ofVisitors },
          project: orNull({ ...project, ...ofVisitors }),
          command: orNull({ ...command, ...ofVisitors }),
          context: orNull({ ...context, ...ofVisitors }),
          created_at: IsoTime,
        }),
        { maxItems: feedbackListMax, description: "Newest first." },
      ),
    },
    { $id: "FeedbackList" },
  ),
);
