import { setDefaultTimeout } from "bun:test";

/** A file that is run alone has the patience of the whole suite, whatever else the machine does. */
setDefaultTimeout(180_000);
