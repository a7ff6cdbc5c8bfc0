/*
 * A share is told by `admit` alone.
 * Decision: `identifyCaller` knows no shares; only the operations that go through `admit` do, and of these the ones
 * that say `shares`. The filters of a share go to the store beside whatever a handler asks: it answers as if only the
 * events for which they hold had ever been stored, and refuses what is made of more than events.
 * Because: a new operation is closed to shares until somebody has thought of them, and no read has to think of filters.
 * Cost: one more field for each operation that shares may ask.
 * Revisit: when every operation of one project is open to shares.
 */

import type { Caller } from "../../domain/caller";
import { ApiError } from "../../domain/errors";
import { type FilterItem, within } from "../../domain/filter-items";
import { allTime } from "../../domain/period";
import type { SharePage } from "../../domain/share";
import { storedFilterItems } from "../../domain/stored-filters";
import { zoneOfRead } from "../../domain/time-zone-name";
import { clock } from "../../lib/clock";
import type { Project } from "../../store/control/project-selector";
import { cannotNarrow } from "../../store/shared/narrowed-questions";
import type { ShareRule } from "../operation/facts";
import { isObject } from "../operation/input";
import { requirePeople, showsPeople } from "./rights";

/** Runs the part of the step "demo/scope" that concerns shares. Throws FORBIDDEN. */
export function requireShown(shares: ShareRule | null, { share }: Caller): void {
  if (share === null) return;
  if (shares === null)
    throw forbidden(
      "A share can only read the numbers of its project. Use an account for anything else.",
    );
  const { page, isUnfiltered = false } = shares;
  if (page !== undefined && !share.pages.includes(page)) {
    throw forbidden(
      `This share does not include ${page}. Ask its owner to create a share with ${page} in "pages".`,
    );
  }
  if (isUnfiltered && share.filters.length > 0) throw cannotNarrow();
}

/**
 * Returns the filters that hold in every read of a share. Their dates are those of the project, and `did` looks at all
 * that is stored, or from its `since` on, which may be days before today.
 */
export const narrowingOf = (
  { share }: Pick<Caller, "share">,
  project: Pick<Project, "timezone"> | null,
): readonly FilterItem[] =>
  within(storedFilterItems(share?.filters), {
    ...allTime,
    lastDateToMs: clock.nowMs() + 1,
    zone: project === null ? undefined : zoneOfRead(null, project),
  });

/** A request that names one of these fields could single somebody out. */
const peopleWords: ReadonlyMap<string, SharePage> = new Map([
  ["user_id", "user_id"],
  ["session_id", "session_id"],
  ["email", "identity"],
]);

/**
 * The rest of that step, once the input is known: who may not see single visitors can neither group by them nor ask
 * for one. Funnels count by either, which shows nobody. Throws FORBIDDEN.
 */
export function refusePeople(caller: Caller, input: unknown): void {
  const refused = refusedWord(caller, input);
  if (refused === null) return;
  requirePeople(caller);
  const { word, page } = refused;
  throw forbidden(
    `This share does not allow reads by ${word}. Ask its owner to create a share with ${page} in "pages".`,
  );
}

/**
 * Tells whether a caller may see stored filters. Lists leave out objects with other filters, because the caller could
 * not read their numbers either.
 */
export const maySeeFilters = (caller: Caller, filters: unknown): boolean =>
  refusedWord(caller, filters) === null;

function refusedWord(caller: Caller, input: unknown) {
  const { share } = caller;
  if (share === null && showsPeople(caller)) return null;
  for (const word of wordsOf(input)) {
    const page = peopleWords.get(word);
    if (page !== undefined && share?.pages.includes(page) !== true) return { word, page };
  }
  return null;
}

/** All names and texts of an input, those in the JSON of a query string included. */
function* wordsOf(value: unknown): Iterable<string> {
  if (typeof value === "string") {
    const inner = jsonOf(value);
    if (inner === undefined) yield* value.split(",").map((word) => word.trim());
    else yield* wordsOf(inner);
  } else if (Array.isArray(value)) {
    for (const item of value) yield* wordsOf(item);
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      yield name;
      if (name !== "count_by") yield* wordsOf(item);
    }
  }
}

function jsonOf(text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const forbidden = (message: string): ApiError => new ApiError("FORBIDDEN", message);
