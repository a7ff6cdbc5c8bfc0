import { describe, expect, test } from "bun:test";
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

describe("a manifest of another form", () => {
  const object = { name: `${"0".repeat(32)}/line/data/1-1`, bytes: 1, sha256: "0".repeat(64) };
  const whole = {
    ...{ format: 1, installation: "0".repeat(32), line: "00000000000001-00000000", n: 1 },
    ...{ level: "full", atMs: 5, version: "1.0.0", base: null, projects: [], lastTicket: 0 },
    databases: [
      { file: "events.db", pageBytes: 8192, pages: 1, objects: [{ ...object, content: "c" }] },
    ],
    recordings: { added: [], removed: [] },
  };
  const codec = new ObjectCodec(null);
  const read = (manifest: unknown) => {
    const bytes = codec.close(new TextEncoder().encode(JSON.stringify(manifest)), "point");
    const target: Target = {
      put: () => Promise.resolve(),
      get: () => Promise.resolve(bytes),
      list: () => Promise.resolve([]),
      remove: () => Promise.resolve(),
    };
    return new Catalogue(target, codec).chain("point").catch((error: unknown) => error);
  };

  test("is damage, and a whole one is not", async () => {
    expect(await read(whole)).toHaveLength(1);
    const [copy] = whole.databases;
    const damaged = [
      ...[{}, null, [], { ...whole, format: 2 }, { ...whole, n: 0 }, { ...whole, lastTicket: "1" }],
      ...[
        { ...whole, databases: null },
        { ...whole, recordings: {} },
      ],
      // A name that leads out of the restored folder, or out of the target.
      { ...whole, databases: [{ ...copy, file: "../events.db" }] },
      {
        ...whole,
        databases: [{ ...copy, objects: [{ ...object, name: "a/../../x", content: "c" }] }],
      },
    ];
    for (const manifest of damaged) expect(await read(manifest)).toBeInstanceOf(PointDamaged);
  });
});
