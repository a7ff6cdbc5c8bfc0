import { databaseFiles } from "../commands/databases";
import { runBackups } from "../store/backups/backup-thread";
import { isWholeRecording } from "../store/replays/copies";
import { letOthersGoFirst } from "../store/rests";

letOthersGoFirst();
runBackups(databaseFiles, isWholeRecording);
