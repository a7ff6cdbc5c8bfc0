import "../../src/features/index";
import "../../src/http/operation/mount-operation";

/** What `/mcp` costs a start: its modules, after all others. It is bundled, as the executable is, and run alone. */
const started = performance.now();
await import("../../src/mcp/routes");
process.stdout.write(String(performance.now() - started));
