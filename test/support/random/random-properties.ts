import type { Random } from "./random";
import { randomSource } from "./random-sources";

const paths = ["/", "/a", "/b?x=1", "/ü", "/😀", "/～", ""];

export function randomProperties(random: Random, keys: readonly string[]): Record<string, unknown> {
  const { below, chance, pick } = random;
  const members: [string, unknown][] = [];
  if (chance(0.7)) members.push(["path", chance(0.9) ? pick(paths) : randomValue(random)]);
  if (chance(0.3)) members.push(["url", `https://x${pick(paths)}`]);
  if (chance(0.3)) {
    members.push([pick(["version", "release", "app_version"]), pick(["1.0", "1.0", 2, "", null])]);
  }
  if (chance(0.6)) members.push(...Object.entries(randomSource(random)));
  for (let left = below(6); left > 0; left--) members.push([pick(keys), randomValue(random)]);
  // The object is made as JSON.parse would: `__proto__` is a key like any other.
  return Object.fromEntries(members);
}

/** Mostly to a variant of an experiment; some are forced, and some are made by hand. */
export function randomExposure({ chance, pick }: Random): Record<string, unknown> {
  return {
    experiment: chance(0.05) ? pick([null, 7, ["hero"]]) : pick(["hero", "hero", "price"]),
    variant: chance(0.1)
      ? pick([null, 1, "Control", ["b"]])
      : pick(["control", "b", "c", "__proto__"]),
    ...(chance(0.15) && { forced: pick([true, true, false, "true", 1]) }),
  };
}

function randomValue({ below, pick }: Random): unknown {
  return pick<() => unknown>([
    () => below(30),
    () => below(1_000) / 10,
    () => `v${below(6)}`,
    () => String(below(30)),
    () => true,
    () => false,
    () => null,
    () => ({ b: below(3), a: [1, { ü: "😀\n" }], "\0": null, "\ud800": "\udfff" }),
    () => [below(3), "x"],
    () => "",
    () => 'Ünï\u2028"\\',
    () => -1.5e-7,
    () => pick([1e16, -1e16, 1e300, -1e300, 1.7e308, 2 ** -1_074]),
    () => "1e999",
    () => "ABC",
    () => "aBc",
    () => ({}),
    () => "nul\0nul",
    () => "\ud800",
    () => "\udc00\ud800",
    () => JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`),
  ])();
}
