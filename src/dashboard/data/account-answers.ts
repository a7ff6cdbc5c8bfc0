import type { Static } from "typebox";
import type {
  Account,
  AccountList,
  BrowserSessions,
  KeyState,
  MemberList,
  NewInvitation,
  OwnAccount,
  TwoFactorSetup,
  TwoFactorState,
} from "../../features/accounts/schema";
import type { AgentSessions } from "../../features/agent-sessions/schema";
import type { AuditLog } from "../../features/audit/schema";
import type { BackupState } from "../../features/backups/schema";
import type { Billing } from "../../features/billing/schema";
import type { ServerConditions } from "../../features/conditions/schema";
import type { DiskState } from "../../features/disk/schema";
import type { FeedbackList } from "../../features/feedback/schema";

/** The API's answers about a person, as its own schemas have them. */
export type { Account, Billing, OwnAccount };
export type MembersAnswer = Static<typeof MemberList>;
export type InvitedAnswer = Static<typeof NewInvitation>;
export type TwoFactorAnswer = Static<typeof TwoFactorState>;
export type TwoFactorSetupAnswer = Static<typeof TwoFactorSetup>;
export type KeyAnswer = Static<typeof KeyState>;
export type BrowsersAnswer = Static<typeof BrowserSessions>;
export type AgentsAnswer = Static<typeof AgentSessions>;
export type AccountsAnswer = Static<typeof AccountList>;
export type BackupsAnswer = Static<typeof BackupState>;
export type DiskAnswer = DiskState;
export type ConditionsAnswer = ServerConditions;
export type AuditAnswer = Static<typeof AuditLog>;
export type FeedbackAnswer = Static<typeof FeedbackList>;
