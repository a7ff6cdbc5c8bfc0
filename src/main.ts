import { run } from "./commands/run";
import { makeFilesPrivate } from "./store/private-files";

makeFilesPrivate();
process.exit(await run(process.argv.slice(2)));
