import type { Operation } from "./operation/operation";
import type { Page } from "./pages/page";

/** The operations and pages that one capability of the product adds to the server. */
export interface Feature {
  readonly operations: readonly Operation[];
  readonly pages?: readonly Page[];
}
