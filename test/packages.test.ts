import { describe, expect, test } from "bun:test";
import { textOf } from "./support/suite/sources";

interface Manifest {
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
interface NpmLock {
  readonly packages: Readonly<
    Record<
      string,
      { name?: string; version?: string; license?: string; resolved?: string; dev?: boolean }
    >
  >;
}
interface BunLock {
  readonly packages: Readonly<
    Record<string, readonly [nameAndVersion: string, ...rest: unknown[]]>
  >;
}

const manifest: Manifest = JSON.parse(textOf("package.json"));
const npmLock: NpmLock = JSON.parse(textOf("package-lock.json"));
const bunLock: BunLock = JSON.parse(textOf("bun.lock").replace(/,(\s*[}\]])/g, "$1"));
const direct = { ...manifest.dependencies, ...manifest.devDependencies };
const installed = Object.entries(npmLock.packages).filter(([path]) => path !== "");

/** Licences that let anyone use and pass on the executable under MIT; each was read. */
const allowedLicences = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "0BSD",
  "Unlicense",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "MIT OR Apache-2.0",
  "(Apache-2.0 AND MIT)",
  "(MIT OR CC0-1.0)",
  "PDDL-1.0",
]);
/** Licences of what is used for development alone, and never a part of what is passed on. */
const allowedForTools = new Set([
  ...allowedLicences,
  ...["MPL-2.0", "(MPL-2.0 OR Apache-2.0)", "Python-2.0", "BlueOak-1.0.0"],
]);
/** Their manifests point to a file, which has the text of the MIT licence. */
const mitByFile: ReadonlySet<string> = new Set(
  ["@segment/facade", "@segment/isodate", "@segment/isodate-traverse", "new-date"].map(
    (name) => `node_modules/${name}`,
  ),
);
/** Their manifests have the older list of licences or none; each says MIT in its licence or read-me file. */
const mitByOldForm: ReadonlySet<string> = new Set(
  ["busboy", "dicer", "humanize-number", "only", "streamsearch"].map(
    (name) => `node_modules/${name}`,
  ),
);
function licenceOf(path: string, license: string): string {
  if (mitByFile.has(path) && license === "SEE LICENSE IN LICENSE") return "MIT";
  return mitByOldForm.has(path) && license === "none" ? "MIT" : license;
}

describe("dependencies", () => {
  test("are named with exact versions", () => {
    expect(
      Object.entries(direct).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
    ).toEqual([]);
  });

  test("are the same packages in both lock files", () => {
    const byNpm = installed.map(
      // A package under another name has its own beside the path.
      ([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, "")}@${version}`,
    );
    const byBun = Object.values(bunLock.packages).map(([nameAndVersion]) => nameAndVersion);
    expect([...new Set(byBun)].sort()).toEqual([...new Set(byNpm)].sort());
    const named = Object.entries(direct).map(([name, version]) => `${name}@${version}`);
    expect(named.filter((one) => !byNpm.includes(one))).toEqual([]);
  });

  test("come from whatever registry the reader uses: no lock file names a host", () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(textOf("bun.lock")).not.toContain("://");
    expect(textOf(".npmrc")).not.toContain("://");
  });

  test("carry licences that allow what ours allows", () => {
    const refused = installed.filter(([path, { license = "none", dev = false }]) =>
      dev ? !allowedForTools.has(licenceOf(path, license)) : !allowedLicences.has(license),
    );
    expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });
});

test("the project is under the MIT licence", () => {
  expect(manifest.license).toBe("MIT");
  expect(textOf("LICENSE")).toStartWith("MIT License");
});
