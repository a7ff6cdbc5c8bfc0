import type { Export } from "../store/exports";
import { fileExport } from "./export/file";

/** Every export of the product. The threads of exports find them by name, as functions do not travel. */
export const exports: ReadonlyMap<string, Export<never>> = new Map(
  [fileExport].map((one) => [one.name, one]),
);
