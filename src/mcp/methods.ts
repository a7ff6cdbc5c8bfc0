import { ApiError } from "../domain/errors";
import { errorAnswer } from "../http/edge/errors";
import { isObject } from "../http/operation/input";
import { inertText } from "../lib/inert-text";
import { version } from "../version";
import { type Asking, callTool } from "./call";
import {
  agreedVersion,
  invalidParamsCode,
  type Params,
  RpcError,
  type RpcRequest,
  unknownMethodCode,
  versions,
} from "./protocol";
import { listResources, listTemplates, projectsOf, readResource } from "./resources";
import { instructions, prompts, quoted } from "./texts";
import type { Toolbox } from "./toolbox";

type Fields = Readonly<Record<string, unknown>>;

const serverInfo = { name: "sightline", title: "Sightline", version };
const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
/** Lists are whole, and differ by who asks. */
const cacheable = { ttlMs: 300_000, cacheScope: "private" };

const completionsMax = 100;
const argumentCharsMax = 200;
const internalErrorCode = -32_603;

/** The result of a request. Throws RpcError, and ApiError for a right that is missing or a limit that is reached. */
export async function resultOfMethod(
  box: Toolbox,
  asking: Asking,
  request: RpcRequest,
): Promise<Fields> {
  const { method, params, isStateless } = request;
  const handshake = isStateless ? undefined : ofHandshake.get(method);
  const answer = handshake ?? methods.get(method);
  if (answer === undefined) {
    const status = isStateless ? 404 : 200;
    throw new RpcError(unknownMethodCode, "This method does not exist.", status);
  }
  const result = await answer(box, asking, params);
  if (!isStateless) return result;
  return {
    resultType: "complete",
    ...result,
    _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
  };
}

type Method = (box: Toolbox, asking: Asking, params: Params) => Fields | Promise<Fields>;

const ofHandshake: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    "initialize",
    (_, __, params) => ({
      protocolVersion: agreedVersion(params),
      capabilities,
      serverInfo,
      instructions,
    }),
  ],
  ["ping", () => ({})],
]);

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    "server/discover",
    () => ({ supportedVersions: versions, capabilities, serverInfo, instructions, ...cacheable }),
  ],
  ["tools/list", (box, { caller }) => ({ tools: box.shownTo(caller), ...cacheable })],
  ["tools/call", callTool],
  ["resources/list", (box, asking) => ({ resources: listResources(box, asking), ...cacheable })],
  [
    "resources/templates/list",
    (box, asking) => ({ resourceTemplates: listTemplates(box, asking), ...cacheable }),
  ],
  [
    "resources/read",
    async (box, asking, params) => ({
      contents: await orRpcError(asking, readResource(box, asking, params)),
      ...cacheable,
    }),
  ],
  [
    "prompts/list",
    () => ({ prompts: prompts.map(({ text: _, ...shown }) => shown), ...cacheable }),
  ],
  ["prompts/get", (_, __, params) => promptOf(params)],
  ["completion/complete", (box, asking, params) => completionOf(box, asking, params)],
]);

function promptOf({ name, arguments: sent = {} }: Params): Fields {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt === undefined) {
    throw new RpcError(
      invalidParamsCode,
      "This prompt does not exist. prompts/list returns all prompts.",
    );
  }
  const given = isObject(sent) ? sent : {};
  const args = prompt.arguments.map((argument) => {
    const value = given[argument.name];
    const isFit = typeof value === "string" && value !== "" && value.length <= argumentCharsMax;
    if (isFit) return [argument.name, quoted(value)] as const;
    const rule = `"${argument.name}" must be a text of 1 to ${argumentCharsMax} characters.`;
    throw new RpcError(invalidParamsCode, rule);
  });
  const text = prompt.text(Object.fromEntries(args));
  const { description } = prompt;
  return { description, messages: [{ role: "user", content: { type: "text", text } }] };
}

function completionOf(box: Toolbox, asking: Asking, { argument }: Params): Fields {
  const { name, value = "" } = isObject(argument) ? argument : {};
  const begun = typeof value === "string" ? value : "";
  const names = name === "project" ? projectsOf(box, asking).map((one) => one.name) : [];
  const found = names.filter((one) => one.startsWith(begun));
  const values = found.slice(0, completionsMax).map((one) => inertText(one));
  const completion = { values, total: found.length, hasMore: found.length > values.length };
  return { completion };
}

/** A resource has no result that could say what an operation refuses. */
async function orRpcError<T>({ context }: Asking, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isForStatus = error instanceof ApiError && error.extras.required_scope !== undefined;
    if (error instanceof RpcError || isForStatus) throw error;
    const { requestId, route } = context;
    const { text } = errorAnswer(error, { requestId, route: route.name, format: "json" });
    throw new RpcError(
      internalErrorCode,
      "The server cannot read this resource. `data` has the reason.",
      200,
      JSON.parse(text),
    );
  }
}
