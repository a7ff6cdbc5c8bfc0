import Type, { type Static } from "typebox";
import { ProjectSelector, timeCharsMax } from "../../domain/fields";
import { schema } from "../../lib/schema";

/** The kinds of files. */
const kinds = [
  ...([
    "events",
    "identities",
    "profiles",
    "context",
    "bot_traffic",
    "history",
    "sessions",
    "all",
  ] as const),
] as const;
const formats = ["jsonl", "csv", "parquet"] as const;
const compressions = ["none", "gzip", "zstd"] as const;
export type ExportCompression = (typeof compressions)[number];
export type ExportKind = (typeof kinds)[number];
export type ExportFormat = (typeof formats)[number];

/** An id has 26; a longer text is refused by its length, and a shorter one by its form. */
const eventIdCharsMax = 26;

export const ExportQuery = schema(
  Type.Object(
    {
      project: Type.String({
        ...ProjectSelector,
        description: "Name or id of the project; the id alone once the project is deleted.",
      }),
      kind: Type.Optional(
        Type.Enum([...kinds], {
          default: "events",
          description: "all: every kind but sessions in one file, as JSON lines alone.",
        }),
      ),
      format: Type.Optional(
        Type.Enum([...formats], {
          default: "jsonl",
          description:
            "jsonl: exact and complete. csv: for spreadsheets. parquet: for programs that read columns; events " +
            "and sessions alone.",
        }),
      ),
      compress: Type.Optional(
        Type.Enum([...compressions], {
          default: "none",
          description:
            "The file is packed; Accept-Encoding changes nothing. A parquet file is packed already.",
        }),
      ),
      since: Type.Optional(
        Type.String({
          maxLength: timeCharsMax,
          description:
            "First date in the project's time zone, as for other reads. Default: everything that is kept.",
        }),
      ),
      until: Type.Optional(
        Type.String({
          maxLength: timeCharsMax,
          description: "Last date, inclusive. Default: everything that is kept.",
        }),
      ),
      after: Type.Optional(
        Type.String({
          maxLength: eventIdCharsMax,
          description: "The `id` of an event: the export continues after it.",
        }),
      ),
    },
    { $id: "ExportQuery" },
  ),
);
export type ExportQuery = Static<typeof ExportQuery>;
