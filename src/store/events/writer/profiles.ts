/*
 * Profiles are bounded.
 * Decision: 64 KiB of traits per user; what was set first falls away.
 * Because: anyone with the public token can send ever new keys.
 * Cost: very old traits of such a user are lost.
 * Revisit: with the contract.
 */

import type { Database } from "bun:sqlite";

/** Of the traits of one user; those that were set longest ago fall away. */
const profileBytesMax = 64 * 1024;

const findProfile = "select traits from profile where project_id = ? and user = ?";
const storeProfile = `
  insert into profile (project_id, user, traits) values (?, ?, ?)
  on conflict do update set traits = excluded.traits, is_inspected = 0`;
const deleteProfile = "delete from profile where project_id = ? and user = ?";

type Traits = Readonly<Record<string, unknown>>;

/** Traits of users, merged key by key (definitions.md, Identity). */
export class Profiles {
  constructor(private readonly db: Database) {}

  /** Later values win; null deletes a key. */
  merge(projectId: number, user: number, traits: Traits): void {
    this.store(projectId, user, merged(this.find(projectId, user) ?? {}, traits));
  }

  /**
   * The profile of a user that is linked to another goes to that one, whose own traits win. It is kept as it was then:
   * nobody sees it while the link lasts, and it is there again when that is taken back.
   */
  hand(projectId: number, from: number, to: number): void {
    const traits = this.find(projectId, from);
    if (traits === null) return;
    this.store(projectId, to, merged(traits, this.find(projectId, to) ?? {}));
  }

  private find(projectId: number, user: number): Traits | null {
    const row = this.db.query(findProfile).get(projectId, user) as { traits: string } | null;
    return row === null ? null : JSON.parse(row.traits);
  }
  private store(projectId: number, user: number, traits: Traits): void {
    const text = textOf(traits);
    if (text === "{}") this.db.query(deleteProfile).run(projectId, user);
    else this.db.query(storeProfile).run(projectId, user, text);
  }
}

/** By entries, so that `__proto__` is a key like any other. What was set last comes last. */
function merged(before: Traits, after: Traits): Traits {
  const members = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(after)) {
    members.delete(key);
    if (value !== null) members.set(key, value);
  }
  return Object.fromEntries(members);
}

/** Anyone with the public token can send ever new keys: what was set first makes room. */
function textOf(traits: Traits): string {
  const members = Object.entries(traits).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  let bytes = members.reduce((sum, member) => sum + Buffer.byteLength(member) + 1, 1);
  let first = 0;
  while (bytes > profileBytesMax) bytes -= Buffer.byteLength(members[first++]) + 1;
  return `{${members.slice(first).join(",")}}`;
}
