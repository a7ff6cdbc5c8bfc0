import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "../../src/domain/event";
import { executable } from "../support/server/server";
import { Figures } from "./figures";
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

/** The data set in the folder, with its place as it is now, and what loading it found. */
export async function keptWorld(kept: Kept, events: number, figures: Figures): Promise<World> {
  const dataDir = join(kept.folder, "data");
  if (!existsSync(executable)) throw new Error("Run `npm run build` first.");
  const noted = await kept.part("world", async () => {
    mkdirSync(dataDir, { recursive: true });
    const found = new Figures();
    return { world: await loadWorld(dataDir, events, found), found: found.sections };
  });
  const world = { ...noted.world, dataDir };
  if (world.events !== events) {
    throw new Error(`${kept.folder} has ${world.events} events: say --events=${world.events}.`);
  }
  figures.addAll(noted.found);
  return world;
}

/**
 * The data set in a copy, for measurements that send events and ask about windows which end today: it must have been
 * loaded on this date of UTC.
 */
export async function copyOfKept(
  kept: Kept,
  events: number,
  dataDir: string,
  figures: Figures,
): Promise<World> {
  const world = await keptWorld(kept, events, figures);
  if (dayOf(world.endMs) !== dayOf(Date.now())) {
    throw new Error(`${kept.folder} was loaded on another date (UTC): load it again.`);
  }
  cpSync(world.dataDir, dataDir, { recursive: true });
  return { ...world, dataDir };
}

/** Servers go on at the time at which the data set ends: `today` is the same date whenever they are asked. */
export const clockOf = ({ endMs }: World): Readonly<Record<string, string>> => ({
  CLOCK_OFFSET_MS: String(Math.min(0, endMs - Date.now())),
});
