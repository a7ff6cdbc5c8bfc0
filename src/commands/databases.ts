import { schema as controlSchema, openControlFile } from "../store/control/database";
import { schema as eventSchema, openForWriting } from "../store/events/tables";
import type { DatabaseFile } from "../store/installation";
import { openForWriting as openReplays, schema as replaySchema } from "../store/replays/tables";

/**
 * The databases of a data folder, in the order in which a backup copies them: whatever project events and recordings
 * belong to is then in the copy of the accounts, which is the younger one.
 */
export const databaseFiles: readonly DatabaseFile[] = [
  {
    name: "events.db",
    schema: eventSchema,
    open: (file) => openForWriting(file, "full"),
    isOriginal: true,
  },
  {
    name: "replays.db",
    schema: replaySchema,
    open: (file) => openReplays(file, "full"),
    isOriginal: false,
  },
  {
    name: "control.db",
    schema: controlSchema,
    open: openControlFile,
    isOriginal: true,
  },
];
