import type { EventRow } from "../../src/domain/fields";
import { type Project, read } from "../support/server/account";
import type { Sent } from "./workload";

interface Page {
  readonly events: EventRow[];
  readonly next_cursor: string | null;
}

/** Every stored event of a project, page by page through the API. */
export async function storedEvents(
  url: string,
  key: string,
  project: Project,
): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = new URLSearchParams({ project: project.name, limit: "1000" });
    if (cursor !== "") query.set("cursor", cursor);
    const page = await read<Page>(url, key, `/events?${query}`);
    rows.push(...page.events);
    cursor = page.next_cursor;
  }
  return rows;
}

/**
 * Says what the store holds that it should not, or lacks that it acknowledged; an empty list is right. Acknowledged =
 * exactly once, refused = not at all, unknown = at most once; always a whole request or nothing of it.
 */
export function faultsIn(sent: readonly Sent[], rows: readonly EventRow[]): string[] {
  const faults: string[] = [];
  const stored = new Map<number, EventRow>();
  for (const row of rows) {
    const number = Number(row.properties?.number);
    if (stored.has(number)) faults.push(`event ${number} is stored twice`);
    stored.set(number, row);
  }
  const known = new Set<number>();
  for (const request of sent) {
    for (const number of request.numbers) known.add(number);
    const found = request.numbers.filter((number) => stored.has(number)).length;
    const first = request.numbers[0];
    if (request.kind === "automated" && found > 0)
      faults.push(`automated event ${first} is stored`);
    if (request.kind !== "events") continue;
    if (found !== 0 && found !== request.numbers.length) {
      faults.push(`of the request that begins with event ${first} only a part is stored`);
    }
    if (request.outcome === "acknowledged" && found === 0) faults.push(`event ${first} is lost`);
    if (request.outcome === "refused" && found > 0) faults.push(`refused event ${first} is stored`);
  }
  for (const number of stored.keys()) {
    if (!known.has(number)) faults.push(`event ${number} was never sent`);
  }
  return [...faults, ...identityFaults(sent, stored)];
}

function identityFaults(sent: readonly Sent[], stored: ReadonlyMap<number, EventRow>): string[] {
  const links = new Map(
    sent.filter(({ kind }) => kind === "identity").map((link) => [link.person, link.outcome]),
  );
  return sent
    .filter(({ kind, person }) => kind === "events" && person !== null)
    .flatMap(({ numbers, person }) => {
      const users = new Set(numbers.flatMap((number) => stored.get(number)?.user_id ?? []));
      if (users.size === 0) return [];
      const outcome = links.get(person) ?? "refused";
      const allowed =
        outcome === "acknowledged"
          ? [`u${person}`]
          : outcome === "refused"
            ? [`p${person}`]
            : [`p${person}`, `u${person}`];
      const right = users.size === 1 && allowed.includes([...users][0] ?? "");
      return right ? [] : [`person ${person} (link ${outcome}) has the users ${[...users]}`];
    });
}
