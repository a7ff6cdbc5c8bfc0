import type { Dialect } from "./dialect";
import { plausible } from "./plausible";
import { umami } from "./umami";

/** Every dialect: the next one is a file beside this one, and a line here. */
export const dialects: readonly Dialect[] = [plausible, umami];
