import { Database } from "bun:sqlite";
import { StorageRefused } from "../refused";
import type { Manifest } from "./manifest";
import { lastTicketIn, projectsIn } from "./statements";

/** Compares restored events with what the manifest counted. Throws StorageRefused. */
export function checkContents(eventsFile: string, { projects, lastTicket }: Manifest): void {
  const db = new Database(eventsFile, { readonly: true, strict: true });
  try {
    const restored = JSON.stringify([projectsIn(db), lastTicketIn(db)]);
    if (restored === JSON.stringify([projects, lastTicket])) return;
  } finally {
    db.close();
  }
  throw new StorageRefused(
    "The restored events are not those that the server counted when it made the backup. Restore another moment.",
  );
}
