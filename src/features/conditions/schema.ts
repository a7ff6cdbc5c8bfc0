import Type, { type Static } from "typebox";
import { IsoTime } from "../../domain/fields";
import { conditionKinds } from "../../domain/server-condition";
import { ofServer, schema } from "../../lib/schema";

const Condition = Type.Object({
  kind: Type.Enum([...conditionKinds]),
  title: Type.String({ description: "A few words.", ...ofServer }),
  sentence: Type.String({ description: "The cause, and the action that helps.", ...ofServer }),
  since: IsoTime,
});

export const ServerConditions = schema(
  Type.Object(
    {
      conditions: Type.Array(Condition, {
        maxItems: conditionKinds.length,
        description: "Those that hold now, the longest first.",
      }),
    },
    { $id: "ServerConditions" },
  ),
);
export type ServerConditions = Static<typeof ServerConditions>;
