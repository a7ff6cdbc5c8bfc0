import Type from "typebox";
import { IsoTime } from "../../domain/fields";
import { ofServer, orNull, schema } from "../../lib/schema";

const pointsMax = 100;

const seconds = Type.Number({ minimum: 0, description: "Seconds." });
const bytes = Type.Integer({
  minimum: 0,
  description: "Bytes in the target.",
});
const sentence = Type.String({ description: "One sentence.", ...ofServer });

const Point = Type.Object({
  at: IsoTime,
  kind: Type.Enum(["full", "increment"]),
  bytes: orNull({ ...bytes, description: "Null for points of earlier runs." }),
});

const Drill = Type.Object({
  state: Type.Enum(["never", "running", "ok", "failed", "skipped"]),
  at: orNull(IsoTime),
  seconds: orNull(seconds),
  error: orNull(sentence),
  restored_at: orNull({ ...IsoTime, description: "The moment of the drill." }),
});

export const BackupState = schema(
  Type.Object(
    {
      configured: Type.Boolean(),
      target: orNull(
        Type.String({ description: "BACKUP_URL. It contains no secret.", ...ofServer }),
      ),
      encrypted: Type.Boolean(),
      every_s: orNull(Type.Integer({ minimum: 5 })),
      line: orNull(
        Type.String({
          description: "The folder of this run in the target.",
          ...ofServer,
        }),
      ),
      last_ok_at: orNull({
        ...IsoTime,
        description: "The target has everything from before.",
      }),
      lag_s: orNull({ ...seconds, description: "Seconds since last_ok_at." }),
      last_error: orNull({ ...sentence, description: "Null after a success." }),
      oldest_at: orNull(IsoTime),
      points: Type.Array(Point, {
        maxItems: pointsMax,
        description: "The newest 100, newest first.",
      }),
      drill: Drill,
    },
    { $id: "BackupState" },
  ),
);

export const BackupMade = schema(Type.Object({ at: IsoTime, bytes }, { $id: "BackupMade" }));

export const DrillStarted = schema(
  Type.Object({ ok: Type.Literal(true) }, { $id: "DrillStarted" }),
);
