import { migrations as controlMigrations, openControlFile } from "../store/control/control";
import { migrations as eventMigrations, openForWriting } from "../store/events/tables";
import type { DatabaseFile } from "../store/installation";
import {
  openForWriting as openReplays,
  migrations as replayMigrations,
} from "../store/replays/tables";

/**
 * The databases of a data folder, in the order in which a backup copies them: whatever project events and recordings
 * belong to is then in the copy of the accounts, which is the younger one.
 */
export const databaseFiles: readonly DatabaseFile[] = [
  {
    name: "events.db",
    migrations: eventMigrations,
    open: (file) => openForWriting(file, "full"),
    isOriginal: true,
  },
  {
    name: "replays.db",
    migrations: replayMigrations,
    open: (file) => openReplays(file, "full"),
    isOriginal: false,
  },
  {
    name: "control.db",
    migrations: controlMigrations,
    open: openControlFile,
    isOriginal: true,
  },
];
