import { type FilterItem, isAnyOf, isDid } from "../domain/filter-items";
import { type Compared, comparedIn, impossible } from "../domain/impossible-values";
import type { TimeWindow } from "../domain/time-window";
import type { Snapshot, View } from "../store/questions";
import type { SoughtField } from "../store/shared/values-seen";

/** Lists may name hundreds that are wrong: these are enough to see what is. */
export const warningsMax = 20;

/** The part of a project's request that every read with filters is given. */
export interface Filtered {
  readonly projectId: string;
  readonly filters?: readonly FilterItem[] | undefined;
}

/**
 * The warnings of a read: one for each name that no event of the dates has, as it is probably misspelt, and one for
 * each value of the filters that none can have.
 */
export async function warningsOf(
  snapshot: Snapshot,
  { projectId, filters = [] }: Filtered,
  { fromMs, toMs }: TimeWindow,
  names: readonly string[] = [],
): Promise<Warned> {
  const view = { projectId, fromMs, toMs };
  const compared = comparedIn(filters);
  const unseen = await unseenAmong(snapshot, view, "event", names);
  const warnings = [
    ...unseen.map(warningOf),
    ...compared.flatMap((one) => impossible(one) ?? []),
    ...(await unseenDevices(snapshot, view, compared)),
  ];
  return warnings.length === 0 ? {} : { warnings: [...new Set(warnings)].slice(0, warningsMax) };
}
interface Warned {
  warnings?: string[];
}

/** These are the tracker's values; other senders may send any, which are looked up in the events. */
const devices = ["desktop", "mobile", "tablet"];

async function unseenDevices(
  snapshot: Snapshot,
  view: View,
  compared: readonly Compared[],
): Promise<string[]> {
  const odd = compared.flatMap(({ field, value }) =>
    (field === device || field === "session.device") && !devices.includes(value) ? [value] : [],
  );
  const unseen = await unseenAmong(snapshot, view, device, odd);
  return unseen.map(
    (value) =>
      `No event of this period has the device "${value}". The tracker tells ${devices.join(", ")}.`,
  );
}
const device = "properties.device";

async function unseenAmong(
  snapshot: Snapshot,
  view: View,
  field: SoughtField,
  values: readonly string[],
): Promise<string[]> {
  const named = [...new Set(values)];
  if (named.length === 0) return [];
  const seen = new Set(await snapshot.valuesSeen(view, field, named));
  return named.filter((value) => !seen.has(value));
}

/** The names that conditions compare with: a filter on one that is misspelt keeps nothing, or everything. */
export const namesIn = (filters: readonly FilterItem[], ops: readonly string[]): string[] =>
  filters.flatMap((item) => {
    if (isAnyOf(item)) return namesIn(item.any, ops);
    if (isDid(item)) return [item.did];
    const { field, op, value } = item;
    if (field !== "event" || !ops.includes(op)) return [];
    return [value].flat().filter((name) => typeof name === "string");
  });

const warningOf = (name: string): string =>
  `No event is named "${name}" in this period. GET /properties lists the names that there are.`;
