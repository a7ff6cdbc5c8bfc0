import { textOf } from "../support/suite/sources";

/** What a statement needs a right for, by how it begins. */
const kinds: readonly (readonly [begins: RegExp, right: string])[] = [
  [/^select /, "SELECT"],
  [/^with [^;]* select /, "SELECT"],
  [/^exists (table|database) /, "SELECT"],
  [/^insert into /, "INSERT"],
  [/^delete from /, "ALTER DELETE"],
  [/^alter table \S+ (on cluster '\w+' )?apply deleted mask /, "ALTER DELETE"],
  [/^create database /, "CREATE DATABASE"],
  [/^create table /, "CREATE TABLE"],
];

const tableNamed =
  /\b(?:from|join|into|exists table) (?:clusterAllReplicas\('\w+', )?([a-z_]\w*)\.\w+/g;

/** The rights that a statement needs, as `RIGHT on where`; of a kind that is not known the statement itself. */
export function rightsOf(sent: string, database: string): string[] {
  const statement = sent.replace(/\s+/g, " ").trim();
  const kind = kinds.find(([begins]) => begins.test(statement))?.[1] ?? statement;
  const named = statement.matchAll(tableNamed);
  const others = new Set([...named].map(([, name]) => name).filter((name) => name !== database));
  return [
    `${kind} on ${database}.*`,
    ...[...others].map((name) => `${kind} on ${name}.*`),
    ...(/ on cluster '/.test(statement) ? ["CLUSTER on *.*"] : []),
    ...(/clusterAllReplicas\(/.test(statement) ? ["REMOTE on *.*"] : []),
  ];
}

/** Returns the rights that the documentation grants: for one server, and those that a cluster needs besides. */
export function documentedRights(): { readonly alone: string[]; readonly besides: string[] } {
  const pages = ["clickhouse", "cluster"].map((name) => textOf(`src/docs/operate/${name}.md`));
  const blocks = [...pages.join("\n").matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) =>
    [...sql.matchAll(/^grant (.+) on (\S+) to sightline;$/gm)].flatMap(([, rights, where]) =>
      rights.split(", ").map((right) => `${right.toUpperCase()} on ${where}`),
    ),
  );
  const [alone = [], besides = []] = blocks.filter((rights) => rights.length > 0);
  return { alone: alone.sort(), besides: besides.sort() };
}
