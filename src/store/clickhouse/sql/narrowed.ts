import { ApiError } from "../../../domain/errors";
import { type FilterItem, isAnyOf, isDidOfUser, looksAround } from "../../../domain/filter-items";
import { allTime } from "../../../domain/period";
import { Events } from "./events";
import type { OpenRead } from "./open-read";
import { keepOrigins, namesOrigins, originsOf } from "./sources";

/**
 * Returns the read of a share, in which there is nothing but the events of a project for which all its filters hold.
 * Filters of events themselves come first: sessions are judged on the events that these leave. What users did is
 * refused: each statement names the table of events several times, each of which would look for these users again, so
 * that questions which ask what users did as well took more than ten seconds of a hundred events.
 */
export async function narrowedTo(
  read: OpenRead,
  projectId: string,
  filters: readonly FilterItem[],
): Promise<OpenRead> {
  if (filters.some(hasDid)) throw cannotLookAtUsers();
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

const hasDid = (item: FilterItem): boolean =>
  isAnyOf(item) ? item.any.some(isDidOfUser) : isDidOfUser(item);

const cannotLookAtUsers = (): ApiError =>
  new ApiError(
    "FORBIDDEN",
    "The filters of this share ask what users did, which is not possible with ClickHouse. " +
      "Make a share whose filters are about events and sessions.",
  );
