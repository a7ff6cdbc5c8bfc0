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
  remedy: Type.String({ ...ofServer, description: "How to fix it, in plain English." }),
};
const list = { maxItems: arrivalKindsMax };

export const ArrivalsResponse = schema(
  Type.Object(
    {
      project_id: ObjectId,
      first_event_at: Time("Time of the first event stored since the server started."),
      last_event_at: Time("Time of the last one."),
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
        { ...list, description: "Automated requests of the last 15 minutes." },
      ),
      refused_origins: Type.Array(
        Type.Object({
          origin: Text("`(no origin)` if the request had none.", ofVisitors),
          ...seen,
        }),
        { ...list, description: "Origins refused in the last 15 minutes." },
      ),
      refused_events: Type.Array(
        Type.Object({
          code: Text("The error's code."),
          field: Type.Union([Text("The invalid field."), Type.Null()]),
          ...seen,
        }),
        { ...list, description: "Requests refused as invalid in the last 15 minutes." },
      ),
    },
    { $id: "ArrivalsResponse" },
  ),
);
