import { expect, test } from "bun:test";
import { projectNameCharsMax } from "./limits";
import { projectNameOf } from "./project-name";

test("a project has a name that an address can hold", () => {
  for (const name of ["shop", "my-shop.example_2", "...", ".a", "a".repeat(projectNameCharsMax)])
    expect(projectNameOf(name)).toBe(name);
  for (const name of [".", "..", "", "a b", "a/b", "a".repeat(projectNameCharsMax + 1)])
    expect(() => projectNameOf(name)).toThrow("letters, digits, dots");
});
