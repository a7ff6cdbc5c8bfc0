import { expect, test } from "bun:test";
import { Catalogue, PointDamaged } from "./catalogue";
import { ObjectCodec } from "./object-codec";
import type { Target } from "./target";

test("a manifest that is no JSON is damage of its point, and names it", async () => {
  const codec = new ObjectCodec(null);
  const cut = codec.close(new TextEncoder().encode('{"format": 1, "databa'), "point");
  const target: Target = {
    put: () => Promise.resolve(),
    get: () => Promise.resolve(cut),
    list: () => Promise.resolve([]),
    remove: () => Promise.resolve(),
  };
  const damage = await new Catalogue(target, codec).chain("point").catch((error: unknown) => error);
  expect(damage).toBeInstanceOf(PointDamaged);
  expect(damage).toMatchObject({ object: "point" });
});
