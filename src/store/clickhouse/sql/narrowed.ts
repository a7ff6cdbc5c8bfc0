import { type FilterItem, looksAround } from "../../../domain/filter-items";
import { allTime } from "../../../domain/period";
import { Events } from "./events";
import type { OpenRead } from "./open-read";
import { keepOrigins, namesOrigins, originsOf } from "./sources";

/**
 * Returns the read of a share, in which there is nothing but the events of a project for which all its filters hold.
 * Filters of events themselves come first: sessions, and what users did, are judged on the events that these leave.
 */
export async function narrowedTo(
  read: OpenRead,
  projectId: string,
  filters: readonly FilterItem[],
): Promise<OpenRead> {
  const ofEvents = passing(
    read,
    filters.filter((item) => !looksAround(item)),
  );
  const ofOthers = filters.filter(looksAround);
  if (namesOrigins(ofOthers)) keepOrigins(ofEvents, await originsOf(ofEvents, projectId));
  return passing(ofEvents, ofOthers);
}

const passing = (whole: OpenRead, filters: readonly FilterItem[]): OpenRead =>
  filters.length === 0
    ? whole
    : whole.narrowed((bound, projectId) =>
        new Events(whole, bound, { projectId, ...allTime, filters }).table(),
      );
