import { ApiError } from "../domain/errors";
import { Guide } from "../features/agent-texts/guide";
import { skillDescription, skillName, skillText } from "../features/agent-texts/skill";
import type { OperationName } from "../http/operation/facts";
import { inertText } from "../lib/inert-text";
import { readableProjects } from "../store/control/project-selector";
import { type Asking, answerTo } from "./call";
import { invalidParamsCode, type Params, RpcError } from "./protocol";
import { resultOf } from "./result";
import type { Toolbox } from "./toolbox";

const projectsMax = 100;
const rowsMax = 500;
const json = "application/json";

interface Kind {
  readonly name: "context" | "schema";
  readonly operation: OperationName;
  readonly description: string;
}

/** The kinds of resources of each project. */
const kinds: readonly Kind[] = [
  {
    name: "context",
    operation: "GET /project-context",
    description: "Goals, terms and releases of the project.",
  },
  {
    name: "schema",
    operation: "GET /properties",
    description: "Event names and property keys.",
  },
];

const openTo = (box: Toolbox, { caller }: Asking): readonly Kind[] =>
  kinds.filter(({ operation }) => box.isOpen(operation, caller));

/** Returns the account's projects whose names the caller may know. */
export const projectsOf = (box: Toolbox, { context, caller }: Asking) =>
  box.isOpen("GET /projects", caller) ? readableProjects(context.deps, caller) : [];

/** Instructions for this server, in the words of `/skill.md`. */
const skill = {
  uri: "sightline://skill",
  name: skillName,
  description: skillDescription,
  mimeType: "text/markdown",
};

export const listResources = (box: Toolbox, asking: Asking) => [
  skill,
  ...projectsOf(box, asking)
    .slice(0, projectsMax)
    .flatMap(({ id, name }) =>
      openTo(box, asking).map((kind) => ({
        uri: `sightline://projects/${id}/${kind.name}`,
        name: `${inertText(name)} ${kind.name}`,
        description: kind.description,
        mimeType: json,
      })),
    ),
];

export const listTemplates = (box: Toolbox, asking: Asking) =>
  openTo(box, asking).map((kind) => ({
    uriTemplate: `sightline://projects/{id}/${kind.name}`,
    name: `project ${kind.name}`,
    description: kind.description,
    mimeType: json,
  }));

const uriForm = /^sightline:\/\/projects\/([\w.-]{1,64})\/(context|schema)$/;

/** Reads what the operation of a resource answers, in the form that results have. */
export async function readResource(box: Toolbox, asking: Asking, { uri }: Params) {
  if (uri === skill.uri) {
    const guide = new Guide(asking.context.deps.config.publicUrl, box.operations);
    return [{ uri, mimeType: skill.mimeType, text: skillText(guide) }];
  }
  const [, project = "", name] = uriForm.exec(typeof uri === "string" ? uri : "") ?? [];
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw unknown();
  try {
    const shaped = await answerTo(box.aboutProject(kind.operation, project), asking);
    const asked = { tool: "describe_project", args: { project }, maxRows: rowsMax, afterRow: 0 };
    const text = JSON.stringify(resultOf(shaped, asked));
    return [{ uri, mimeType: json, text }];
  } catch (error) {
    if (error instanceof ApiError && error.code === "NOT_FOUND") throw unknown();
    throw error;
  }
}

const unknown = (): RpcError =>
  new RpcError(
    invalidParamsCode,
    "This resource does not exist. resources/list returns the resources of each project.",
  );
