import Type from "typebox";
import { Count, IsoDate, ObjectId } from "../../domain/fields";
import { ofServer, schema } from "../../lib/schema";
import { archivedFilesMax } from "../../store/control/archived-files";

export const ArchivedFiles = schema(
  Type.Object(
    {
      project_id: ObjectId,
      files: Type.Array(
        Type.Object({
          date: { ...IsoDate, description: "The UTC date of the events." },
          events: Count,
          bytes: { ...Count, description: "Size of the file." },
          sha256: Type.String({ ...ofServer, pattern: "^[0-9a-f]{64}$", maxLength: 64 }),
        }),
        { maxItems: archivedFilesMax, description: "Newest first." },
      ),
    },
    { $id: "ArchivedFiles" },
  ),
);
