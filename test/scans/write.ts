import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plansFolder, sites, textFor } from "./sites";

/** Writes the expected plans again, to be read before they are kept: `bun test/scans/write.ts`. */
mkdirSync(plansFolder, { recursive: true });
for (const site of sites) writeFileSync(join(plansFolder, `${site}.md`), await textFor(site));
