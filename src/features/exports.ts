import { archiveExport } from "../reads/export/archive";
import { personSummary } from "../reads/person-summary";
import type { Export } from "../store/exports";
import { fileExport } from "./export/file";
import { personExport } from "./people/export";

/** Every export of the product. The threads of exports find them by name, as functions do not travel. */
export const exports: ReadonlyMap<string, Export<never>> = new Map<string, Export<never>>(
  [fileExport, archiveExport, personExport, personSummary].map((one) => [one.name, one]),
);
