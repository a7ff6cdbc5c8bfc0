import { trackerScripts } from "./assets.macro" with { type: "macro" };

/**
 * Scripts that other builds make, put into the program while it is bundled (or, from its sources, while it starts): the
 * executable needs no other file.
 */
export const tracker = trackerScripts();
