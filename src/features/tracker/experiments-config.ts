import Type from "typebox";
import { ApiError } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { publicOperation } from "../../http/operation";
import { reply } from "../../http/reply";
import { schema } from "../../lib/schema";

const ExperimentsConfigQuery = schema(
  Type.Object(
    {
      token: Type.String({
        description: "The project's public token, `aat_` and 48 hexadecimal digits.",
      }),
    },
    { $id: "ExperimentsConfigQuery" },
  ),
);

const ExperimentsConfig = schema(
  Type.Object(
    {
      experiments: Type.Array(
        Type.Object({
          key: Type.String({ description: "The experiment's name." }),
          variants: Type.Array(
            Type.Object({
              key: Type.String(),
              weight: Type.Integer({
                description: "Percent of visitors; all weights sum up to 100.",
              }),
            }),
          ),
        }),
        { description: "The active experiments of the project, oldest first." },
      ),
    },
    { $id: "ExperimentsConfig" },
  ),
);

/** What the tracker asks for on every page. Nothing makes experiments yet, so there are none. */
export const experimentsConfig = (deps: Deps) =>
  publicOperation(deps, "GET /experiments/config", {
    doc: {
      id: "getExperimentsConfig",
      summary: "The experiments a page takes part in",
      description:
        "Read by the tracker, which assigns the visitor to a variant in the browser. Public: the token names " +
        "the project.",
      tag: "Tracker",
      errors: ["INVALID_TOKEN"],
    },
    takes: ExperimentsConfigQuery,
    returns: { 200: ExperimentsConfig },
    handle: ({ input }) => {
      if (deps.control.projectByToken(input.token) === undefined) {
        throw new ApiError("INVALID_TOKEN", "No project has this token. GET /projects lists them.");
      }
      return reply(200, { experiments: [] }, { "cache-control": "public, max-age=60" });
    },
  });
