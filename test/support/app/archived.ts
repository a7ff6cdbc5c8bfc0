import type { ObjectEvent } from "../../../src/domain/event";
import { ArchiveErasures } from "../../../src/services/archive/archive-erasures";
import { type ArchivePlace, archivePlaceOf } from "../../../src/services/archive/place";
import type { Control } from "../../../src/store/control/control";
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

/** The parts of the archive, of which one step fails, as at a kill: before it is done or after. */
export function killedErasures(
  control: Control,
  { target, ...place }: ArchivePlace,
  at: number,
): ArchiveErasures {
  let steps = 0;
  const step: Step = async (work) => {
    if (steps++ === at) throw new Error("killed before a step");
    const done = await work();
    if (steps++ === at) throw new Error("killed after a step");
    return done;
  };
  const write = <T>(work: () => T): T => {
    if (steps++ === at) throw new Error("killed before a note");
    const done = control.write(work);
    if (steps++ === at) throw new Error("killed after a note");
    return done;
  };
  const failing: Control = Object.create(control, { write: { value: write } });
  return new ArchiveErasures({
    control: failing,
    place: {
      ...place,
      target: {
        put: (name, bytes) => step(() => target.put(name, bytes)),
        get: (name) => step(() => target.get(name)),
        list: (prefix) => step(() => target.list(prefix)),
        remove: (name) => step(() => target.remove(name)),
      },
    },
  });
}
