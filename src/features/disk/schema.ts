import Type, { type Static } from "typebox";
import { diskLevels } from "../../domain/disk";
import { Count, ObjectId } from "../../domain/fields";
import { orNull, schema } from "../../lib/schema";

export const diskProjectsMax = 100;

const bytes = Type.Integer({ minimum: 0, description: "Bytes." });

const Used = Type.Object(
  {
    events: bytes,
    recordings: bytes,
    control: bytes,
    logs: bytes,
    backups_waiting: bytes,
    other: bytes,
  },
  { description: "Bytes of the files in DATA_DIR. Increments of a backup wait in `logs`." },
);

const ProjectOnDisk = Type.Object({
  id: ObjectId,
  account_id: ObjectId,
  bytes: { ...bytes, description: "Bytes of events and recordings." },
  events: { ...Count, description: "Stored events." },
  events_per_day: Type.Number({
    minimum: 0,
    description: "Mean of the last 7 complete dates of receipt.",
  }),
});

export const DiskState = schema(
  Type.Object(
    {
      free_bytes: { ...bytes, description: "Free on the disk of DATA_DIR." },
      reserve_bytes: {
        ...bytes,
        description: "With less free no events are stored.",
      },
      used: Used,
      per_day_bytes: orNull(
        Type.Integer({
          description:
            "Median growth of the last 7 complete days, without logs; negative where data shrinks.",
        }),
      ),
      days_to_full: orNull(
        Type.Number({
          minimum: 0,
          description: "Until the reserve is reached. Null without growth.",
        }),
      ),
      level: Type.Enum([...diskLevels]),
      projects: Type.Array(ProjectOnDisk, {
        maxItems: diskProjectsMax,
        description: "The largest 100, largest first.",
      }),
    },
    { $id: "DiskState" },
  ),
);
export type DiskState = Static<typeof DiskState>;
