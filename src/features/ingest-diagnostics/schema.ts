import Type from "typebox";
import { Count, ObjectId } from "../../domain/fields";
import { arrivalKindsMax, arrivalTextCharsMax } from "../../domain/limits";
import { ofServer, ofVisitors, schema } from "../../lib/schema";

export const ArrivalsRequest = schema(Type.Object({}, { $id: "ArrivalsRequest" }));

const Time = (description: string) =>
  Type.Union([Type.Integer({ description }), Type.Null()], { description });
const Text = (description: string, by: typeof ofServer | typeof ofVisitors = ofServer) =>
  Type.String({ ...by, maxLength: arrivalTextCharsMax, description });

const seen = {
  requests: Count,
  last_seen_at: Type.Integer({ description: "Unix milliseconds." }),
  remedy: Type.String({ ...ofServer, description: "What to do about it, for people." }),
};
const list = { maxItems: arrivalKindsMax };

export const ArrivalsResponse = schema(
  Type.Object(
    {
      project_id: ObjectId,
      first_event_at: Time("When the first event since the start of the server was stored."),
      last_event_at: Time("When the last one was."),
      stored: Type.Integer({
        minimum: 0,
        description: "Events stored since the start of the server.",
      }),
      automated: Type.Array(
        Type.Object({
          category: Text("As in bot traffic."),
          actor: Text("Its name.", ofVisitors),
          ...seen,
        }),
        { ...list, description: "Requests set aside as automated in the last 15 minutes." },
      ),
      refused_origins: Type.Array(
        Type.Object({
          origin: Text("`(no origin)` where what was sent is none.", ofVisitors),
          ...seen,
        }),
        { ...list, description: "Origins refused in the last 15 minutes." },
      ),
      refused_events: Type.Array(
        Type.Object({
          code: Text("The error's code."),
          field: Type.Union([Text("The field to blame."), Type.Null()]),
          ...seen,
        }),
        { ...list, description: "Requests refused for what they contain in the last 15 minutes." },
      ),
    },
    { $id: "ArrivalsResponse" },
  ),
);
