import type { Caller } from "../../domain/caller";
import { bodyBytesMax } from "../../domain/limits";
import { parseJson, readBytes } from "../edge/body";
import { admitIfAny, begin, readBody, shapeInput, spendByAddress } from "./checks";
import type { OperationName } from "./facts";
import { checkFields } from "./input";
import {
  type AnswerOf,
  type Context,
  contextOf,
  type Definition,
  type InputContext,
  type Operation,
  operation,
  type ReturnSchemas,
} from "./operation";

/** Defines an operation that needs no account, such as health or sign-in. */
export const publicOperation = <
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  name: OperationName,
  definition: Definition<InputContext<Input>, Input, Returns, Answer>,
): Operation =>
  operation(name, definition, {
    answer: async (context) => {
      const text = await readBody(context, definition.bodyBytesMax);
      spendByAddress(context);
      const shaped = shapeInput(context, definition.takes, text);
      const input = checkFields(definition.takes, shaped);
      return definition.handle({ ...contextOf(context), input });
    },
  });

interface IngestContext extends Context {
  /** The body as it was parsed, unchecked. */
  readonly json: unknown;
}

interface IngestDefinition<Input, Returns extends ReturnSchemas, Answer>
  extends Definition<IngestContext, Input, Returns, Answer> {
  /** JSON.parse, unless it is named. Throws what that throws. */
  parse?(text: string): unknown;
}

/** Ingestion: the token in the body is the credential, so the JSON comes first and all else is the pipeline's. */
export const ingestOperation = <
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  name: OperationName,
  definition: IngestDefinition<Input, Returns, Answer>,
): Operation =>
  operation(name, definition, {
    answer: async (context) => {
      const json = parseJson(await readBody(context, definition.bodyBytesMax), definition.parse);
      return definition.handle({ ...contextOf(context), json });
    },
  });

export interface UploadContext extends Context {
  /** The body as it came, compressed perhaps: the handler knows how to read it. */
  readonly bytes: ArrayBuffer;
}

/** Ingestion of what this thread does not look at: the bytes go on as they came. */
export const uploadOperation = <
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  name: OperationName,
  definition: Definition<UploadContext, Input, Returns, Answer>,
): Operation =>
  operation(name, definition, {
    answer: async (context) => {
      const bytes = await readBytes(context.request, definition.bodyBytesMax ?? bodyBytesMax);
      begin(context);
      return definition.handle({ ...contextOf(context), bytes });
    },
  });

export interface TextContext extends Context {
  /** The body as it came: what a signature is over, or what a protocol has rules of its own for. */
  readonly text: string;
}

/**
 * Defines an operation whose body is no JSON of ours: the handler reads the text by itself, and checks its signature
 * first.
 */
export const textOperation = <
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  name: OperationName,
  definition: Definition<TextContext, Input, Returns, Answer>,
): Operation =>
  operation(name, definition, {
    answer: async (context) => {
      const text = await readBody(context, definition.bodyBytesMax);
      spendByAddress(context);
      return definition.handle({ ...contextOf(context), text });
    },
  });

export interface OpenContext<Input> extends InputContext<Input> {
  /** The caller; null for one who sends no credential. One that is sent must be good, as everywhere. */
  readonly caller: Caller | null;
}

/** Defines an operation with an account or without one: the handler limits callers without one. */
export const openOperation = <
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  name: OperationName,
  definition: Definition<OpenContext<Input>, Input, Returns, Answer>,
): Operation =>
  operation(name, definition, {
    answer: async (context) => {
      const text = await readBody(context, definition.bodyBytesMax);
      const caller = admitIfAny(context);
      const shaped = shapeInput(context, definition.takes, text);
      const input = checkFields(definition.takes, shaped);
      return definition.handle({ ...contextOf(context), input, caller });
    },
  });
