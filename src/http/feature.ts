import type { ForeignDocument } from "./foreign/document";
import type { ForeignRoute } from "./foreign/route";
import type { Operation } from "./operation/operation";
import type { Page } from "./pages/page";

/** The operations, pages and foreign routes that one capability of the product adds to the server. */
export interface Feature {
  readonly operations: readonly Operation[];
  readonly pages?: readonly Page[];
  readonly foreign?: readonly ForeignRoute[];
  readonly foreignDocuments?: readonly ForeignDocument[];
}
