/** The actions of the audit log: each entry is written in the commit of its change. */
export const auditActions = [
  ...(["member_invited", "invitation_revoked", "member_joined", "member_changed"] as const),
  ...(["member_removed", "ownership_transferred", "account_changed"] as const),
] as const;
export type AuditAction = (typeof auditActions)[number];

export const actorKinds = ["cookie", "key", "agent", "cli", "server"] as const;
type ActorKind = (typeof actorKinds)[number];

/** The person who did it. The address stays when the log-in is gone. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: string | null;
  readonly email: string | null;
}

/** A person who runs a command on the server's machine. */
export const commandLine: Actor = { kind: "cli", id: null, email: null };
