import { type ReadonlySignal, signal } from "@preact/signals";
import { type ApiRequest, keyOf } from "./request";

/** A read that is on the screen. */
export interface Shown {
  readonly title: string;
  readonly request: ApiRequest;
}

interface Owned extends Shown {
  /** The parts of the page that show it: the palette may ask for what the page under it waits for. */
  readonly owners: number;
}

const all = signal<ReadonlyMap<string, Owned>>(new Map());

/** The requests that are on the screen now, by key: the drawer of requests shows them. */
export const shown: ReadonlySignal<ReadonlyMap<string, Shown>> = all;

/** Adds an owner to each request. The function that it returns takes exactly these owners away again, once. */
export function own(reads: readonly Shown[]): () => void {
  const next = new Map(all.value);
  for (const { title, request } of reads) {
    const before = next.get(keyOf(request));
    const owners = (before?.owners ?? 0) + 1;
    next.set(keyOf(request), { title: before?.title ?? title, request, owners });
  }
  all.value = next;
  let isOwned = true;
  return () => {
    if (isOwned) disown(reads.map(({ request }) => keyOf(request)));
    isOwned = false;
  };
}

function disown(keys: readonly string[]): void {
  const rest = new Map(all.value);
  for (const key of keys) {
    const one = rest.get(key);
    if (one === undefined) continue;
    if (one.owners === 1) rest.delete(key);
    else rest.set(key, { ...one, owners: one.owners - 1 });
  }
  all.value = rest;
}
