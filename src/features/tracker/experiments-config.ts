import Type from "typebox";
import { ApiError } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { reply } from "../../http/edge/reply";
import { free } from "../../http/operation/facts";
import { publicOperation } from "../../http/operation/public-operation";
import { ofOwner, schema } from "../../lib/schema";

const ExperimentsConfigQuery = schema(
  Type.Object(
    {
      token: Type.String({
        minLength: 1,
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
          key: Type.String({ ...ofOwner, description: "The experiment's name." }),
          variants: Type.Array(
            Type.Object({
              key: Type.String(ofOwner),
              weight: Type.Integer({
                description: "Percent of visitors; all weights add up to 100.",
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

/**
 * The operation that the tracker calls on every page. On the Free plan no experiment runs, whatever was set up before.
 */
export const experimentsConfig = (deps: Deps) =>
  publicOperation("GET /experiments/config", {
    access: free("token"),
    isQuiet: true,
    doc: {
      id: "getExperimentsConfig",
      summary: "Get the experiments of a page",
      description:
        "The tracker reads it and assigns the visitor to a variant in the browser. Public: the token names the " +
        "project. Changes reach all pages within a minute. To manage experiments use POST, GET, PATCH and " +
        "DELETE /experiments.",
      tag: "Tracker",
      errors: ["INVALID_TOKEN"],
    },
    takes: ExperimentsConfigQuery,
    returns: { 200: ExperimentsConfig },
    handle: ({ input }) => {
      const project = deps.control.projectByToken(input.token);
      if (project === undefined) {
        throw new ApiError(
          "INVALID_TOKEN",
          "No project has this token. GET /projects lists the tokens of your projects.",
        );
      }
      const isPro = deps.control.tierOf(project.accountId) === "pro";
      const active = isPro ? deps.control.experiments.active(project.id) : [];
      const experiments = active.map(({ name, variants }) => ({ key: name, variants }));
      return reply(200, { experiments }, { "cache-control": "public, max-age=60" });
    },
  });
