import type { Caller } from "../../domain/caller";
import type { Deps } from "../deps";
import { admitIfAny, readBody, shapeInput } from "./checks";
import type { OperationName } from "./endpoint-index";
import { checkFields } from "./input";
import {
  type AnswerOf,
  contextOf,
  type Definition,
  type InputContext,
  mountOperation,
  type ReturnSchemas,
} from "./operation";

export interface OpenContext<Input> extends InputContext<Input> {
  /** Null for somebody who sends no credential. One that is sent must be good, as everywhere. */
  readonly caller: Caller | null;
}

/** With an account or without one: those without are limited by the handler. */
export function openOperation<
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  deps: Deps,
  name: OperationName,
  definition: Definition<OpenContext<Input>, Input, Returns, Answer>,
) {
  return mountOperation(deps, name, definition, async (context) => {
    const text = await readBody(context, definition.bodyBytesMax);
    const caller = admitIfAny(context);
    const shaped = shapeInput(context, definition.takes, text);
    const input = checkFields(definition.takes, shaped);
    return definition.handle({ ...contextOf(context), input, caller });
  });
}
