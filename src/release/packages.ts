import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A package whose code or data is in the executable. */
interface Inside {
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { version?: string; license?: string; dev?: boolean; optional?: boolean }>
  >;
}

/** Development packages whose code or data the build puts into the executable. */
const bundled = /^node_modules\/(@ip-location-db|@rrweb)\//;
/** Other packages ask for these, and the build puts nothing of them into the executable. */
const tools = /\/(typescript|bun-types|undici-types|@types\/[^/]+|@scarf\/scarf)$/;

/** The packages that a release passes on, by name. */
function packagesInside(root: string): readonly Inside[] {
  const lock: Lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(lock.packages)
    .filter(([path, { dev, optional }]) => !optional && (!dev || bundled.test(path)))
    .filter(([path]) => path !== "" && !tools.test(path))
    .map(([path, { version = "", license = "" }]) => ({
      ...{ path, version, license },
      name: path.split("node_modules/").at(-1) ?? "",
    }))
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** The texts of their licences, one after the other. */
export function licencesOf(root: string): string {
  const parts = packagesInside(root).map(({ path, name, version, license }) => {
    const folder = join(root, path);
    const files = readdirSync(folder).filter((one) => /^(licen[cs]e|notice|copying)/i.test(one));
    const texts = files.sort().map((one) => readFileSync(join(folder, one), "utf8").trim());
    return [`${name} ${version}, ${license}`, ...texts].join("\n\n");
  });
  return `${parts.join(`\n\n${"=".repeat(80)}\n\n`)}\n`;
}

/** The list of packages as CycloneDX, with nothing in it that differs from one build to the next. */
export function bomOf(root: string, version: string, timeSeconds: number): string {
  const bom = {
    ...{ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 },
    metadata: {
      timestamp: new Date(timeSeconds * 1_000).toISOString(),
      component: { type: "application", name: "sightline", version, "bom-ref": "sightline" },
    },
    components: packagesInside(root).map(({ name, version: own, license }) => {
      const purl = `pkg:npm/${name.replace("@", "%40")}@${own}`;
      const licenses = [{ expression: license }];
      return { type: "library", "bom-ref": purl, name, version: own, purl, licenses };
    }),
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}
