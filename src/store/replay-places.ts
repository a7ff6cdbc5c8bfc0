/** What a data folder has of recordings: open ones, and what is known of all, then a file for each closed one. */
export const databaseName = "replays.db";
export const folderName = "replays";
