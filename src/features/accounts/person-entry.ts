import type { AuditAction } from "../../domain/audit";
import { type Caller, memberOf } from "../../domain/caller";
import { actorOf } from "../../store/control/audit";

/** An entry about what people do with their own log-in: each of their accounts has it. */
export function personEntry(caller: Caller, action: AuditAction) {
  const { personId: id, email: name } = memberOf(caller);
  return { actor: actorOf(caller), action, target: { type: "person", id, name } };
}
