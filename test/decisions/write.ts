import { writeFileSync } from "node:fs";
import { decisionsInTheCode, indexFile, indexOf } from "./decisions";

/** Writes the index of the decisions that stand at the head of files: `bun test/decisions/write.ts`. */
writeFileSync(indexFile, indexOf(decisionsInTheCode()));
