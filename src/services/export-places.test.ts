import { expect, test } from "bun:test";
import { ExportPlaces, exportsMax, exportsPerAccountMax } from "./export-places";

const busy = expect.objectContaining({ code: "EXPORT_BUSY" });

test("an account has its places, whoever has the others; a place is given back once", () => {
  const places = new ExportPlaces();
  const taken = Array.from({ length: exportsPerAccountMax }, () => places.take("ann"));
  expect(() => places.take("ann")).toThrow(busy);
  places.take("bob");
  taken[0]?.();
  taken[0]?.();
  places.take("ann");
  expect(() => places.take("ann")).toThrow(busy);
});

test("all accounts together have a bound", () => {
  const places = new ExportPlaces();
  const taken = Array.from({ length: exportsMax }, (_, index) => places.take(`account ${index}`));
  expect(() => places.take("one more")).toThrow(busy);
  taken[0]?.();
  places.take("one more");
});
