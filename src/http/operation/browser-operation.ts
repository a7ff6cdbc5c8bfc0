import type { Caller } from "../../domain/caller";
import { identifyVisitor } from "../auth/caller";
import { requireAccess, spendRequest } from "../auth/gate";
import type { Exchange } from "../edge/request-context";
import { admit, readBody } from "./checks";
import type { OperationName } from "./endpoint-index";
import { nothing } from "./input";
import {
  type Context,
  contextOf,
  type Definition,
  mountOperation,
  type ReturnSchemas,
} from "./operation";

type Described<Given> = Pick<Definition<Given, unknown, ReturnSchemas, Response>, "doc" | "handle">;

interface VisitContext extends Context {
  /** Null for somebody who has yet to log in, which the page lets them do. */
  readonly caller: Caller | null;
}
interface FormContext extends Context {
  readonly caller: Caller;
}

/** An operation of the index that is a page for a person. */
export const pageOperation = (
  deps: Exchange["deps"],
  name: OperationName,
  { doc, handle }: Described<VisitContext>,
) =>
  mountOperation(deps, name, { doc, takes: nothing, returns: {} }, async (exchange) => {
    await readBody(exchange);
    return handle({ ...contextOf(exchange), caller: visitorOf(exchange) });
  });

/** What a button on such a page sends. The path says all there is to say, so the body may be a form, JSON or empty. */
export const formOperation = (
  deps: Exchange["deps"],
  name: OperationName,
  { doc, handle }: Described<FormContext>,
) =>
  mountOperation(deps, name, { doc, takes: nothing, returns: {} }, async (exchange) => {
    await readBody(exchange);
    return handle({ ...contextOf(exchange), caller: await admit(exchange) });
  });

function visitorOf(exchange: Exchange): Caller | null {
  const { deps, request, route } = exchange;
  const caller = identifyVisitor(deps, request);
  if (caller === null) return null;
  exchange.admit(caller);
  exchange.spend(spendRequest(deps, caller));
  requireAccess(route, caller);
  return caller;
}
