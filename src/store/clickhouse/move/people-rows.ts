import type { MovedContent } from "../../shared/moved";
import { RowBinary } from "../row-binary";
import type { CommittedTable } from "../tables";
import { Links, type Sender, senderBytes } from "../writer/links";

interface TableRows {
  readonly table: CommittedTable;
  readonly rows: RowBinary;
}

const rowsPerInsert = 50_000;

/** Returns the rows that a project has besides its events, by table. */
export function* rowsOfContent(
  project: number,
  commit: number,
  content: MovedContent,
): Iterable<TableRows> {
  const { profiles, edges, emails, received, automated } = content;
  yield* inserts("user_link", sendersOf(content), (rows, sender) => {
    const { name, generation, parent, owner } = sender;
    rows.int64(project).text(name).uint16(generation).raw(sender.bytes).text(owner.name);
    rows.text(parent?.name ?? "").uint16(parent?.generation ?? 0);
    rows.uint8(parent === null ? 0 : 1).int64(commit);
  });
  yield* inserts("profile", profiles, (rows, { sender, traits }) => {
    rows.int64(project).raw(senderBytes(sender.name, sender.generation)).text(traits).int64(commit);
  });
  yield* inserts("identity_edge", edges, (rows, { membership, user, other }) => {
    rows.int64(project).text(membership).text(user).text(other).uint8(1).int64(commit);
  });
  yield* inserts("email", emails, (rows, { membership, digest, user }) => {
    rows.int64(project).text(membership);
    for (const byte of digest) rows.uint8(byte);
    rows.text(user).int64(commit);
  });
  yield* inserts("received_day", received, (rows, { date, events }) => {
    rows.int64(project).text(date).int64(events).int64(commit);
  });
  yield* inserts("automated_day", automated, (rows, one) => {
    rows.int64(project).text(one.date).text(one.category).text(one.actor);
    rows.int64(one.requests).int64(one.droppedEvents).int64(one.lastSeenAtMs).int64(commit);
  });
}

function* inserts<Row>(
  table: CommittedTable,
  all: readonly Row[],
  write: (rows: RowBinary, row: Row) => void,
): Iterable<TableRows> {
  for (let from = 0; from < all.length; from += rowsPerInsert) {
    const rows = new RowBinary();
    for (const row of all.slice(from, from + rowsPerInsert)) write(rows, row);
    yield { table, rows };
  }
}

/** The links between users, as the writer would hold them. */
function sendersOf({ links }: MovedContent): Sender[] {
  const all = new Links();
  return links.map(({ name, generation, parent }) => {
    const sender = all.restore(name, generation);
    if (parent !== null) sender.moveTo(all.restore(parent.name, parent.generation));
    return sender;
  });
}
