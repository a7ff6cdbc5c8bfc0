/** What the audit log tells of: each is written in the commit of the change. */
export const auditActions = [
  ...(["member_invited", "invitation_revoked", "member_joined", "member_changed"] as const),
  ...(["member_removed", "ownership_transferred", "account_changed"] as const),
] as const;
export type AuditAction = (typeof auditActions)[number];

export const actorKinds = ["cookie", "key", "agent", "cli", "server"] as const;
type ActorKind = (typeof actorKinds)[number];

/** Whoever did it. The address stays when the log-in is gone. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: string | null;
  readonly email: string | null;
}

/** Whoever runs a command on the server's machine. */
export const commandLine: Actor = { kind: "cli", id: null, email: null };
