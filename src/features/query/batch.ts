/*
 * Several questions are one read of the store.
 * Decision: `queries` are asked one after the other in one transaction of one reader thread, within one budget of
 * time; each is narrowed for a share by itself, and each counts as a read.
 * Because: their numbers must be of one moment; and what a share may see must not depend on how it asks.
 * Cost: a batch does not use both readers.
 * Revisit: if snapshots can be shared by threads.
 */

import { ApiError, invalidField } from "../../domain/errors";
import { ofRead } from "../../domain/fields";
import type { Days } from "../../domain/period";
import type { Node } from "../../http/operation/input";
import { QueryRequest } from "./schema";

/** The fields that concern several questions in one request. */

const ofAll: readonly string[] = [...Object.keys(ofRead), "queries"];

/** Refuses what stands beside `queries` and would have no effect on them. What was left out has its default by now. */
export function refuseBeside(input: QueryRequest): void {
  const fields: Readonly<Record<string, Node>> = QueryRequest.properties;
  for (const [name, value] of Object.entries(input)) {
    if (ofAll.includes(name) || value === fields[name]?.default) continue;
    throw invalidField(
      name,
      `Move "${name}" into each of the "queries"; it cannot be next to them.`,
    );
  }
}

/** Checks each. A refusal says which of them it is about. */
export async function eachOf<Asked, Checked>(
  queries: readonly Asked[],
  check: (query: Asked) => Promise<Checked>,
): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const [index, query] of queries.entries()) {
    try {
      checked.push(await check(query));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { field } = error.extras;
      throw new ApiError(error.code, `queries[${index}]: ${error.message}`, {
        ...error.extras,
        ...(field !== undefined && { field: `queries[${index}].${field}` }),
        index,
      });
    }
  }
  return checked;
}

/** Returns the dates from the first of any question to the last. */
export const spanOf = (questions: readonly { readonly days: Days }[]): Days => ({
  ...questions[0].days,
  from: Math.min(...questions.map(({ days }) => days.from)),
  to: Math.max(...questions.map(({ days }) => days.to)),
});
