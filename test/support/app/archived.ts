import type { ObjectEvent } from "../../../src/domain/event";
import { type ArchivePlace, archivePlaceOf } from "../../../src/services/archive/place";
import type { Json } from "./app";

export const eventAt = (timeMs: number, name = "e"): ObjectEvent => ({
  ...{ name, timeMs, userId: "ü", sessionId: `s${timeMs}`, country: "DE" },
  ...{ properties: { at: timeMs }, eventId: null },
});
export const linesOf = (file: Uint8Array): Json[] =>
  new TextDecoder()
    .decode(Bun.zstdDecompressSync(file))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
export const timesIn = (files: readonly Uint8Array[]): number[] =>
  files
    .flatMap((file) => linesOf(file).slice(1, -1))
    .map(({ timestamp }) => Number(timestamp))
    .sort((a, b) => a - b);
export type Step = <T>(work: () => Promise<T>) => Promise<T>;

export const placeOf = (config: Parameters<typeof archivePlaceOf>[0]): ArchivePlace => {
  const place = archivePlaceOf(config);
  if (place === null) throw new Error("no place");
  return place;
};
export const failingPlace = ({ target, ...place }: ArchivePlace, step: Step): ArchivePlace => ({
  ...place,
  target: {
    put: (name, bytes) => step(() => target.put(name, bytes)),
    get: (name) => step(() => target.get(name)),
    list: (prefix) => target.list(prefix),
    remove: (name) => target.remove(name),
  },
});
