import type { Caller } from "../../domain/caller";
import { identifyVisitor } from "../auth/caller";
import { requireAccess, spendRequest } from "../auth/gate";
import type { RequestContext } from "../edge/request-context";
import { admit, readBody } from "./checks";
import type { Facts, OperationName } from "./facts";
import { nothing } from "./input";
import {
  type Context,
  contextOf,
  type Definition,
  type Operation,
  operation,
  type ReturnSchemas,
} from "./operation";

type Described<Given> = Facts &
  Pick<Definition<Given, unknown, ReturnSchemas, Response>, "doc" | "handle">;

interface VisitContext extends Context {
  /** The caller; null for somebody who has yet to log in, which the page lets them do. */
  readonly caller: Caller | null;
}
interface FormContext extends Context {
  readonly caller: Caller;
  /** The body as it came. */
  readonly text: string;
}

/** An operation of the index that is a page for a person. */
export const pageOperation = (
  name: OperationName,
  { handle, ...described }: Described<VisitContext>,
): Operation =>
  operation(
    name,
    { ...described, takes: nothing, returns: {} },
    {
      answer: async (context) => {
        await readBody(context);
        return handle({ ...contextOf(context), caller: visitorOf(context) });
      },
    },
  );

/**
 * Defines an operation that a button on such a page calls. The path says what is meant, so the body may be a form, JSON
 * or empty.
 */
export const formOperation = (
  name: OperationName,
  { handle, ...described }: Described<FormContext>,
): Operation =>
  operation(
    name,
    { ...described, takes: nothing, returns: {} },
    {
      answer: async (context) => {
        const text = await readBody(context);
        return handle({ ...contextOf(context), text, caller: await admit(context) });
      },
    },
  );

function visitorOf(context: RequestContext): Caller | null {
  const { deps, request, route } = context;
  const caller = identifyVisitor(deps, request);
  if (caller === null) return null;
  context.admit(caller);
  context.spend(spendRequest(deps, caller));
  requireAccess(route, caller);
  return caller;
}
