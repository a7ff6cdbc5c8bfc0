/*
 * Events go first, links last.
 * Decision: the server deletes the events and traits of a person while the writer goes on; then, in the writer's turn,
 * it deletes the rows that have come in the meantime, and at last the links.
 * Because: a deletion reads a whole table, and events must not wait for that; and after an interruption the links lead
 * to the rows that are left, so that the erasure can begin again at any time.
 * Cost: reads during the erasure may see only some of the person's rows.
 */

import type { ClickHouse } from "../client";
import { removeManyRows, removeRows } from "../remove";
import { Bound } from "../sql/bound";
import type { ErasedList } from "./erased-list";
import type { LinkedPerson } from "./person";

type Where = (bound: Bound, project: number, list: ErasedList) => string;

const ofSenders: Where = (bound, project, list) =>
  `project = ${bound.integer(project)} and sender in ${list.sql(bound, "sender")}`;
const ofAllSenders: Where = (bound, project, list) =>
  `project = ${bound.integer(project)} and sender in ${list.sql(bound, "sender", "former")}`;
const ofNames = (columns: readonly string[]): Where => {
  return (bound, project, list) => {
    const names = list.sql(bound, "name");
    const isOne = columns.map((column) => `${column} in ${names}`).join(" or ");
    return `project = ${bound.integer(project)} and (${isOne})`;
  };
};

const tables: readonly (readonly [name: string, where: Where])[] = [
  ["event", ofSenders],
  ["profile", ofAllSenders],
  ["identity_edge", ofNames(["user", "other"])],
  ["email", ofNames(["user"])],
];
/** All tables with rows about people. */
export const tablesOfPeople: readonly string[] = [...tables.map(([name]) => name), "user_link"];

/** Deletes all rows of the person but links. It may take minutes. */
export async function removeMost(
  clickhouse: ClickHouse,
  project: number,
  list: ErasedList,
): Promise<void> {
  for (const [name, where] of tables) {
    await removeManyRows(clickhouse, name, (bound) => where(bound, project, list));
  }
}

/** The same for the few rows that have come in the meantime. */
export async function removeRest(
  clickhouse: ClickHouse,
  project: number,
  list: ErasedList,
): Promise<void> {
  for (const [name, where] of tables) {
    await removeRows(clickhouse, name, (bound) => where(bound, project, list));
  }
}

/**
 * Deletes the links of the person, and the rows by which others were linked to them once. Afterwards nothing leads from
 * an id of the person to events.
 */
export function removeLinks(
  clickhouse: ClickHouse,
  project: number,
  list: ErasedList,
): Promise<void> {
  return removeRows(clickhouse, "user_link", (bound) => {
    const senders = list.sql(bound, "sender", "former");
    return `project = ${bound.integer(project)} and (sender in ${senders} or ${parentSender} in ${senders}
      or owner in ${list.sql(bound, "name")})`;
  });
}
const parentSender = `if(parent_generation = 0, parent, concat(parent, '\\xFF', toString(parent_generation)))`;

/**
 * Stores the events of earlier senders as those of their heirs, and removes the originals. It copies each event once,
 * also after interruptions; until it ends, reads would count the event twice.
 */
export async function handOverEvents(
  clickhouse: ClickHouse,
  project: number,
  { former }: LinkedPerson,
  list: ErasedList,
): Promise<void> {
  const { database } = clickhouse;
  for (const { sender, heir } of former) {
    const bound = new Bound();
    const [from, to] = [sender, heir].map(
      ({ bytes }) => `base64Decode(${bound.text(Buffer.from(bytes).toString("base64"))})`,
    );
    const number = bound.integer(project);
    // Equal rows are no repeat here: a copy may have been deleted together with another person.
    await clickhouse.rows(
      `insert into ${database}.event settings insert_deduplicate = 0
      select * replace(${to} as sender) from (select * from ${database}.event
        where project = ${number} and sender = ${from}
          and ticket not in (select ticket from ${database}.event where project = ${number} and sender = ${to}))`,
      bound.values,
    );
  }
  await removeRows(
    clickhouse,
    "event",
    (bound) => `project = ${bound.integer(project)} and sender in ${list.sql(bound, "former")}`,
  );
}
