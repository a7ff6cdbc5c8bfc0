import type {
  MovedAutomated,
  MovedLink,
  MovedPeople,
  MovedProject,
  MovedSender,
} from "../../shared/moved";
import { Bound } from "../sql/bound";
import type { OpenRead } from "../sql/open-read";
import { senderColumns } from "./source";

interface SenderRow {
  readonly sender_name: string;
  readonly sender_generation: number;
}
interface LinkRow {
  readonly name: string;
  readonly generation: number;
  readonly above: string;
  readonly above_generation: number;
  readonly linked: 0 | 1;
}

/** Returns what a project has besides events at the moment of the read: for each key the row of its latest commit. */
export async function peopleOf(read: OpenRead, { number }: MovedProject): Promise<MovedPeople> {
  const ask = <Row>(columns: string, table: string, groups: string): Promise<Row[]> => {
    const bound = new Bound();
    return read.ask<Row>(
      `select ${columns} from ${read.database}.${table} as row
      where project = ${bound.integer(number)} and commit <= ${bound.integer(read.moment.lastCommit)} ${groups}`,
      bound,
    );
  };
  const [links, profiles, edges, emails, received, automated] = await Promise.all([
    ask<LinkRow>(
      `name, generation, argMax(parent, commit) as above, argMax(parent_generation, commit) as above_generation,
        argMax(is_linked, commit) as linked`,
      "user_link",
      "group by name, generation order by name, generation",
    ),
    ask<SenderRow & { told: string }>(
      `${senderColumns("row.sender")}, argMax(row.traits, commit) as told`,
      "profile",
      "group by row.sender having told != '{}'",
    ),
    ask<{ membership: string; user: string; other: string }>(
      "membership, user, other",
      "identity_edge",
      "group by membership, user, other having argMax(is_there, commit) = 1",
    ),
    ask<{ membership: string; digest: string; user: string }>(
      "distinct membership, hex(row.digest) as digest, user",
      "email",
      "",
    ),
    ask<{ date: string; events: number }>(
      "date, argMax(event_count, commit) as events",
      "received_day",
      "group by date",
    ),
    ask<MovedAutomated>(
      `date, category, actor, argMax(row.requests, commit) as requests,
        argMax(dropped_events, commit) as droppedEvents, argMax(last_seen_at, commit) as lastSeenAtMs`,
      "automated_day",
      "group by date, category, actor",
    ),
  ]);
  return {
    links: links.map(linkOf),
    profiles: profiles.map(({ sender_name, sender_generation, told }) => ({
      sender: { name: sender_name, generation: sender_generation },
      traits: told,
    })),
    edges,
    emails: emails.map((row) => ({ ...row, digest: Buffer.from(row.digest, "hex") })),
    received,
    automated,
  };
}

function linkOf({ name, generation, above, above_generation, linked }: LinkRow): MovedLink {
  const parent: MovedSender | null =
    linked === 1 ? { name: above, generation: above_generation } : null;
  return { name, generation, parent };
}
