/*
 * Profiles are bounded.
 * Decision: 64 KiB of traits per user; what was set first falls away.
 * Because: anyone with the public token can send ever new keys.
 * Cost: very old traits of such a user are lost.
 */

/** The bytes of one user's traits; those that were set longest ago are dropped. */
const profileBytesMax = 64 * 1024;

export type Traits = Readonly<Record<string, unknown>>;

/** Merges by entries, so that `__proto__` is a key like any other. The trait that was set last comes last. */
export function mergedTraits(before: Traits, after: Traits): Traits {
  const members = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(after)) {
    members.delete(key);
    if (value !== null) members.set(key, value);
  }
  return Object.fromEntries(members);
}

/** Anyone with the public token can send ever new keys: what was set first makes room. */
export function textOfTraits(traits: Traits): string {
  const members = Object.entries(traits).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  let bytes = members.reduce((sum, member) => sum + Buffer.byteLength(member) + 1, 1);
  let first = 0;
  while (bytes > profileBytesMax) bytes -= Buffer.byteLength(members[first++]) + 1;
  return `{${members.slice(first).join(",")}}`;
}
