import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { accountOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { ServerConditions } from "./schema";

/** The operation that tells administrators what they must do something about. */
export const conditionsFeature = (deps: Deps): Feature => ({
  operations: [
    accountOperation("GET /admin/conditions", {
      access: free("admin"),
      doc: {
        id: "getConditions",
        summary: "Get the conditions of the server",
        description:
          "States that need an administrator, such as a backup that fails. The server sends one mail and one webhook " +
          "when a condition begins.",
        tag: "Administration",
      },
      takes: nothing,
      returns: { 200: ServerConditions },
      handle: () => ({
        conditions: deps.conditions.holding.map(({ kind, title, sentence, sinceMs }) => ({
          ...{ kind, title, sentence, since: new Date(sinceMs).toISOString() },
        })),
      }),
    }),
  ],
});
