import { Bitmap } from "../functions/sets/bitmap";
import type { SessionsOfPart } from "./parts";

export const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);

/** Users of several parts, each once. */
export function joined(found: readonly { readonly users: Uint32Array }[]): Bitmap {
  const users = new Bitmap();
  for (const part of found) users.addWords(part.users);
  return users;
}

type GroupOfSessions = SessionsOfPart["groups"][number];

export function joinedSessions(found: readonly SessionsOfPart[]): GroupOfSessions[] {
  const groups = new Map<GroupOfSessions["label"], GroupOfSessions>();
  for (const group of found.flatMap((part) => part.groups)) {
    const known = groups.get(group.label);
    if (known === undefined) {
      groups.set(group.label, group);
      continue;
    }
    groups.set(group.label, {
      label: group.label,
      sessions: known.sessions + group.sessions,
      bounces: known.bounces + group.bounces,
      duration: known.duration + group.duration,
      events: known.events + group.events,
      page_views: known.page_views + group.page_views,
    });
  }
  return [...groups.values()];
}
