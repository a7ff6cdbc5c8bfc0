import { setDefaultTimeout } from "bun:test";

/** A file that is run alone has the patience of the whole suite, whatever else the machine does. */
setDefaultTimeout(180_000);

/**
 * When a test waits and only timers are left that would not keep a process alive, as those of AbortSignal.timeout, the
 * test runner looks at the clock without a pause. This timer keeps it alive, so that the runner sleeps instead.
 */
setInterval(() => undefined, 60_000);
