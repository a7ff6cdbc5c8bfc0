import Type, { type Static } from "typebox";
import {
  Count,
  IsoDate,
  listItemsMax,
  ObjectId,
  ofRead,
  ProjectSelector,
  StoredName,
  Timestamp,
} from "../../domain/fields";
import { importKinds, importNameCharsMax, importStates } from "../../domain/import";
import { timeZoneCharsMax } from "../../domain/time-zone-name";
import { ofOwner, ofServer, orNull, schema } from "../../lib/schema";

const Kind = Type.Enum([...importKinds]);
const Name = Type.String({ ...ofOwner, maxLength: importNameCharsMax });
const codeCharsMax = 64;
const messageCharsMax = 1_024;
const linesNamedMax = 5;
const eventsNamedMax = 20;

/** How the rows of a file are judged. A check that does not name a rule keeps it, so there is no default here. */
const rules = {
  timezone: Type.Optional(
    Type.String({
      maxLength: timeZoneCharsMax,
      description: "IANA zone of times in the file that name none. Default: UTC.",
    }),
  ),
  overlap: Type.Optional(
    Type.Enum(["drop", "keep"], {
      description:
        "Rows from the project's first own event on are left out (`drop`, unless the import says otherwise), or kept.",
    }),
  ),
  older: Type.Optional(
    Type.Enum(["fold", "drop"], {
      description:
        "Events that are older than the project keeps them are counted into days (`fold`, unless the import says " +
        "otherwise), or left out.",
    }),
  ),
};

export const ImportRequest = schema(
  Type.Object(
    {
      project: ProjectSelector,
      size: Type.Integer({ minimum: 1, description: "Bytes of the file: at most 4 GiB." }),
      sha256: Type.String({
        pattern: "^[0-9a-f]{64}$",
        description: "The digest of the whole file, in lower-case hexadecimal digits.",
      }),
      kind: Type.Optional(
        Type.Enum([...importKinds], { description: "Found by the content when left out." }),
      ),
      name: Type.Optional(
        Type.String({ maxLength: importNameCharsMax, description: "A name to know the file by." }),
      ),
      ...rules,
    },
    {
      $id: "ImportRequest",
      examples: [
        {
          project: "shop",
          size: 204_800,
          sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          kind: "events",
        },
      ],
    },
  ),
);
export type ImportRequest = Static<typeof ImportRequest>;

export const ImportPart = schema(
  Type.Object(
    {
      offset: Type.Integer({
        minimum: 0,
        description: "The place of the first byte in the file, which is `received`.",
      }),
    },
    { $id: "ImportPart" },
  ),
);

export const ImportPartStored = schema(
  Type.Object({ received: Count }, { $id: "ImportPartStored" }),
);

export const ImportCheckRequest = schema(
  Type.Object(rules, { $id: "ImportCheckRequest", examples: [{ overlap: "keep" }] }),
);
export type ImportCheckRequest = Static<typeof ImportCheckRequest>;

export const ImportCommitRequest = schema(Type.Object({}, { $id: "ImportCommitRequest" }));

export const ImportsQuery = schema(
  Type.Object({ project: ofRead.project }, { $id: "ImportsQuery" }),
);

const Sum = orNull(Type.Number({ minimum: 0 }));
const EventDay = Type.Object({
  ...{ date: IsoDate, events: Count, page_views: Count, users: Count, sessions: Count },
});
const DaySums = Type.Object({
  ...{ date: IsoDate, visitors: Sum, visits: Sum, page_views: Sum },
  ...{ events: Sum, bounces: Sum, seconds: Sum },
});
const Code = Type.String({ ...ofServer, maxLength: codeCharsMax });
const What = Type.String({ ...ofServer, maxLength: messageCharsMax });

const Report = Type.Object(
  {
    format: Kind,
    becomes: Type.Enum(["events", "days", "both"]),
    rows: Type.Object(
      {
        ...{ stored: Count, duplicates: Count, overlap: Count, older: Count },
        ...{ folded: Count, unsupported: Count, refused: Count },
        excluded: Type.Optional(Count),
      },
      {
        description: "Every row of the file, each in one of these. `excluded`: of blocked ids.",
      },
    ),
    from: orNull(IsoDate),
    to: orNull(IsoDate),
    timezone: Type.String({ ...ofServer, maxLength: timeZoneCharsMax }),
    users: { ...Count, description: "Counted of the stored events, as reads do it." },
    sessions: Count,
    page_views: Count,
    by_event: Type.Array(Type.Object({ event: StoredName, count: Count }), {
      maxItems: eventsNamedMax,
    }),
    by_day: Type.Array(Type.Union([EventDay, DaySums]), { maxItems: listItemsMax }),
    refusals: Type.Array(
      Type.Object({
        code: Code,
        count: Count,
        lines: Type.Array(Type.Integer(), { maxItems: linesNamedMax }),
      }),
      { description: "The reasons, and the first lines of each: 1 is the first line of the file." },
    ),
    differences: Type.Array(Type.Object({ what: Code, file: Count, stored: Count, why: What })),
    hidden_days: { ...Count, description: "Days that are not shown beside the project's events." },
    bytes_needed: { ...Count, description: "The disk that it takes." },
    caveats: Type.Array(Code),
  },
  { description: "The rows that a commit would store, or has stored." },
);

export const Import = schema(
  Type.Object(
    {
      id: ObjectId,
      project: Type.String({ ...ofOwner, description: "Its name." }),
      kind: orNull(Kind),
      name: orNull(Name),
      state: Type.Enum([...importStates]),
      size: Count,
      received: Count,
      progress: Type.Number({
        minimum: 0,
        maximum: 1,
        description: "The part of the present state's work that is done.",
      }),
      report: Type.Optional(Report),
      error: Type.Optional(
        Type.Object({
          code: Code,
          message: Type.String({ ...ofServer, maxLength: messageCharsMax }),
          line: Type.Optional(Type.Integer({ minimum: 1 })),
        }),
      ),
      created_at: Timestamp,
      committed_at: orNull(Timestamp),
    },
    { $id: "Import" },
  ),
);
export type Import = Static<typeof Import>;

export const ImportList = schema(
  Type.Object({ imports: Type.Array(Import, { maxItems: listItemsMax }) }, { $id: "ImportList" }),
);

export const DeletedImport = schema(
  Type.Object(
    {
      ...{ ok: Type.Literal(true), deleted: ObjectId, events: Count, days: Count },
      days_left: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            "The dates that still have its events in their sums: retention counted them together with those of " +
            "more than three other imports. Absent where there are none.",
        }),
      ),
    },
    { $id: "DeletedImport" },
  ),
);
