/** The actions of the audit log: each entry is written in the commit of its change. */
export const auditActions = [
  ...(["signed_in", "sign_in_locked", "signed_out_others", "password_changed"] as const),
  ...(["password_reset", "two_factor_on", "two_factor_off", "recovery_code_used"] as const),
  ...([
    "oidc_linked",
    "oidc_unlinked",
    "member_invited",
    "invitation_revoked",
    "member_joined",
  ] as const),
  ...(["member_changed", "member_removed", "ownership_transferred"] as const),
  ...(["key_made", "key_revoked", "agent_approved", "agent_revoked"] as const),
  ...(["project_created", "project_changed", "project_deleted", "retention_changed"] as const),
  ...(["exclusions_changed", "share_made", "share_revoked"] as const),
  ...(["webhook_made", "webhook_changed", "webhook_deleted"] as const),
  ...([
    "report_made",
    "report_changed",
    "report_deleted",
    "report_address_asked",
    "report_sent",
  ] as const),
  ...(["alert_made", "alert_changed", "alert_deleted", "alert_address_asked"] as const),
  ...(["person_looked_up", "person_exported", "person_erased", "replay_opened"] as const),
  ...(["data_exported", "data_imported"] as const),
  ...(["account_made", "account_changed", "account_deleted"] as const),
  ...(["backup_drill", "restored"] as const),
] as const;
export type AuditAction = (typeof auditActions)[number];

export const actorKinds = ["cookie", "key", "agent", "oidc", "cli", "server"] as const;
type ActorKind = (typeof actorKinds)[number];

/** The person who did it. The address stays when the log-in is gone. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: string | null;
  readonly email: string | null;
}

/** A person who runs a command on the server's machine. */
export const commandLine: Actor = { kind: "cli", id: null, email: null };
/** The server itself, where no person asked. */
export const serverItself: Actor = { kind: "server", id: null, email: null };

type Fields = Readonly<Record<string, unknown>>;

/** The fields whose values are others than before, with the values that they have now. */
export const changedFields = (before: Fields, after: Fields): Fields =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  );
