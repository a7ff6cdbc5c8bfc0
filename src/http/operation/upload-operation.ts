import { bodyBytesMax } from "../../domain/limits";
import type { Deps } from "../deps";
import { readBytes } from "../edge/body";
import { begin } from "./checks";
import type { OperationName } from "./endpoint-index";
import {
  type AnswerOf,
  type Context,
  contextOf,
  type Definition,
  mountOperation,
  type ReturnSchemas,
} from "./operation";

export interface UploadContext extends Context {
  /** The body as it came, compressed perhaps: the handler knows how to read it. */
  readonly bytes: ArrayBuffer;
}

/** Ingestion of what this thread does not look at: the bytes go on as they came. */
export function uploadOperation<
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(deps: Deps, name: OperationName, definition: Definition<UploadContext, Input, Returns, Answer>) {
  return mountOperation(deps, name, definition, async (context) => {
    const bytes = await readBytes(context.request, definition.bodyBytesMax ?? bodyBytesMax);
    begin(context);
    return definition.handle({ ...contextOf(context), bytes });
  });
}
