import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { executable } from "../support/server";
import type { Figures } from "./figures";
import { loadWorld, type World } from "./world";

/**
 * What `--keep=FOLDER` leaves there, so that it can be loaded at one time and asked at another: of each part that is
 * whole there is a file beside it, which is written last.
 */
export interface Kept {
  readonly folder: string;
  /** What the part `name` was loaded with; `load` does it unless another run did. */
  part<Noted>(name: string, load: () => Promise<Noted>): Promise<Noted>;
}

export function keptIn(folder: string): Kept {
  mkdirSync(folder, { recursive: true });
  return {
    folder,
    part: async (name, load) => {
      const note = Bun.file(join(folder, `${name}.json`));
      if (await note.exists()) return note.json();
      const noted = await load();
      await Bun.write(note, JSON.stringify(noted));
      return noted;
    },
  };
}

/** The data set in the folder, with its place as it is now. */
export async function keptWorld(kept: Kept, events: number, figures: Figures): Promise<World> {
  const dataDir = join(kept.folder, "data");
  if (!existsSync(executable)) throw new Error("Run `npm run build` first.");
  const load = (): Promise<World> => {
    mkdirSync(dataDir, { recursive: true });
    return loadWorld(dataDir, events, figures);
  };
  const world = { ...(await kept.part("world", load)), dataDir };
  if (world.events !== events) {
    throw new Error(`${kept.folder} has ${world.events} events: say --events=${world.events}.`);
  }
  return world;
}

/** Servers go on at the time at which the data set ends: `today` is the same date whenever they are asked. */
export const clockOf = ({ endMs }: World): Readonly<Record<string, string>> => ({
  CLOCK_OFFSET_MS: String(Math.min(0, endMs - Date.now())),
});
