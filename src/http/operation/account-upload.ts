import type { Caller } from "../../domain/caller";
import { bodyBytesMax } from "../../domain/limits";
import { free } from "../../lib/free";
import { readBytes, unread } from "../edge/body";
import { admit, begin, shapeInput } from "./checks";
import type { OperationName } from "./facts";
import { checkFields } from "./input";
import {
  type AnswerOf,
  contextOf,
  type Definition,
  type InputContext,
  type Operation,
  operation,
  type ReturnSchemas,
} from "./operation";

interface AccountUploadContext<Input> extends InputContext<Input> {
  readonly caller: Caller;
  /** The body as it came. Its memory goes back with the answer. */
  readonly bytes: Uint8Array;
}

interface AccountUploadDefinition<Input, Returns extends ReturnSchemas, Answer>
  extends Definition<AccountUploadContext<Input>, Input, Returns, Answer> {
  /** Refuses what the caller may not upload before any of it is read. */
  checkPath(asked: Pick<AccountUploadContext<Input>, "caller" | "params">): void;
}

/**
 * Defines an upload of an account: its input is in the query string, and its body are bytes. Parts of a file come by
 * the hundred, so they are not counted by rate limits; nothing is read of one whose sender may not upload.
 */
export const accountUpload = <
  Input,
  const Returns extends ReturnSchemas,
  const Answer extends AnswerOf<Returns>,
>(
  name: OperationName,
  definition: AccountUploadDefinition<Input, Returns, Answer>,
): Operation =>
  operation(name, definition, {
    answer: async (context) => {
      const { bodyBytesMax: bytesMax = bodyBytesMax, takes } = definition;
      unread(context.request, bytesMax);
      const caller = await admit(context, false);
      const asked = { ...contextOf(context), caller };
      const shaped = shapeInput(context, takes, "");
      definition.checkPath(asked);
      const input = checkFields(takes, shaped);
      const bytes = new Uint8Array(await readBytes(context.request, bytesMax));
      begin(context);
      try {
        return await definition.handle({ ...asked, input, bytes });
      } finally {
        free(bytes);
      }
    },
  });
