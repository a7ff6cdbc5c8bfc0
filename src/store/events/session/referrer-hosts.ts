/*
 * A read brings the project's own hosts.
 * Decision: the server sends them to the engine with every read of a project (`ReadRequest.ownHosts`), and what was
 * found with others is forgotten.
 * Because: they stand in control.db, the engine does not know it, and a change must count with the next read.
 * Cost: fields of sessions are found again after each change of a project's origins.
 * Revisit: if the engine needs more of a project's settings.
 */

import { hostOf, isOwn } from "../../../domain/sources/referrer";
import { grownLength } from "../sets/budget";
import type { Reading } from "../sets/row-values";
import { TextTable } from "../sets/text-table";
import type { Workspace } from "../sets/workspace";

const beginsMin = 1_024;
const slash = 47;
/** `/`, `?`, `#` and `\`: what ends the part of an address that names its host. */
const isEnd = (byte: number): boolean =>
  byte === slash || byte === 63 || byte === 35 || byte === 92;

/**
 * A referrer stands for its host, one of the project itself for none. Its pages may be millions: what comes before the
 * path is looked up first, and read once however many pages there are of it.
 */
export const referrersInto =
  (workspace: Workspace) =>
  (table: TextTable): Reading => {
    const { budget, ownHosts, secret } = workspace;
    const begins = new TextTable(secret, budget);
    /** The numbers of their hosts, and one more; 0 for what was not read yet. */
    let hosts = budget.words(beginsMin);
    const read = (begin: string): number => {
      const host = hostOf(begin);
      return host === null || isOwn(host, ownHosts) ? 0 : table.numberOfText(host) + 1;
    };
    return (bytes, from, to) => {
      const begin = begins.numberOf(bytes, from, pathIn(bytes, from, to));
      if (begin === hosts.length) hosts = budget.widerWords(hosts, grownLength(begin));
      hosts[begin] ||= read(begins.text(begin)) + 1;
      return hosts[begin] - 1;
    };
  };

/** Returns where the path of an address begins; its end where it has none. */
function pathIn(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== slash) at++;
  // The host begins behind the two slashes.
  for (at += 2; at < to; at++) if (isEnd(bytes[at])) return at;
  return to;
}
