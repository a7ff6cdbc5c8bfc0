import Type from "typebox";
import { ofOwner } from "../lib/schema";
import { emailCharsMax } from "./limits";
import { subscriptionStates, targetsMax } from "./subscription";

/** The targets of an alert or a report in a request. */
export const Targets = Type.Array(Type.String({ minLength: 1, maxLength: emailCharsMax }), {
  minItems: 1,
  maxItems: targetsMax,
  description:
    "Ids of members who may see the project, ids of webhooks, and email addresses of others, who have to confirm.",
});

/** The same in an answer. */
export const Recipients = Type.Array(
  Type.Object({
    to: Type.String({ ...ofOwner, maxLength: emailCharsMax }),
    state: Type.Enum([...subscriptionStates], {
      description:
        "pending: the address did not confirm yet. stopped: the person ended these messages.",
    }),
  }),
  { maxItems: targetsMax },
);
