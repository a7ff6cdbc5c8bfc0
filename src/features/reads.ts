import type { Read } from "../store/port";
import { breakdownRead } from "./breakdown/read";
import { eventsRead } from "./events/read";
import { propertiesRead, receivedRead } from "./properties/read";
import { queryRead } from "./query/read";
import { statsRead } from "./stats/read";
import { usageRead } from "./usage/read";
import { volumeRead } from "./usage/volume";

/** Every read that the product asks of the store. Reader threads find them by name, as functions do not travel. */
export const reads: ReadonlyMap<string, Read<never, unknown>> = new Map(
  [
    statsRead,
    eventsRead,
    queryRead,
    propertiesRead,
    receivedRead,
    breakdownRead,
    usageRead,
    volumeRead,
  ].map((read) => [read.name, read]),
);
