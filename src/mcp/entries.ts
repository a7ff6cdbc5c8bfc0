/*
 * Each list of objects is a table, also one within a row.
 * Decision: the lists of all rows of a table are one more table, whose first column has the number of the row that an
 * entry belongs to, from 0; a tree is written from its root downwards, with the depth of each entry. Where a question
 * chooses the columns (`results` of `query`), each list is a table of its own, `results.0.rows`.
 * Because: objects within a cell repeat all names for each entry, and no bound of rows holds for them.
 * Cost: the reader puts two tables together.
 */

import { isObject } from "../http/operation/input";
import type { Place } from "../http/operation/marks";

type Fields = Readonly<{ [name: string]: unknown }>;

/** An object of a list, as it stands in the answer. */
export interface Entry {
  /** The first columns, which say what it belongs to. */
  readonly lead: readonly (readonly [column: string, value: number])[];
  readonly fields: readonly (readonly [key: string, value: unknown])[];
  readonly at: Standing;
}

/** The place of a value in an answer. */
export interface Standing {
  /** The path as `untrusted` names it: no key that a visitor has made is part of it. */
  readonly path: string;
  /** The schema's marks of the value; null where it has none. */
  readonly marked: Place | null;
}

type Tables = Map<string, Entry[]>;

/** The tables of a field, by their names; null where it is no list of objects. */
export function entriesOf(name: string, value: unknown, marked: Place | null): Tables | null {
  const listed = listIn(value, marked);
  if (listed === null) return null;
  const tables: Tables = new Map([[name, []]]);
  addList(tables, name, listed, []);
  return tables;
}

interface Listed {
  readonly items: readonly Fields[];
  readonly marked: Place | null;
}

function listIn(value: unknown, marked: Place | null): Listed | null {
  if (marked?.isTable !== true || !isRecords(value)) return null;
  return { items: value, marked: marked.items };
}

const isRecords = (value: unknown): value is readonly Fields[] =>
  Array.isArray(value) && value.every(isObject);

function addList(tables: Tables, name: string, listed: Listed, lead: Entry["lead"]): void {
  const { items, marked } = listed;
  const table = tables.get(name) ?? [];
  tables.set(name, table);
  const parent = name.slice(name.lastIndexOf(".") + 1);
  for (const item of items) {
    const number = table.length;
    const within: [key: string, list: Listed][] = [];
    const fields = Object.entries(item).filter(([key, value]) => {
      const list = listIn(value, marked?.field(key) ?? null);
      if (list !== null) within.push([key, list]);
      return list === null;
    });
    table.push({ lead, fields, at: { path: `tables.${name}`, marked } });
    for (const [key, list] of within) {
      if (list.marked === marked) addList(tables, name, list, deeper(lead));
      else if (list.marked?.hasFreeFields === true) {
        addList(tables, `${name}.${number}.${key}`, list, []);
      } else addList(tables, `${name}.${key}`, list, leadOf(list, parent, number));
    }
  }
}

const depth = "depth";

const leadOf = ({ marked }: Listed, parent: string, number: number): Entry["lead"] => [
  [parent, number],
  ...(marked?.isTree === true ? [[depth, 0] as const] : []),
];

const deeper = (lead: Entry["lead"]): Entry["lead"] =>
  lead.map(([column, value]) => [column, column === depth ? value + 1 : value] as const);
