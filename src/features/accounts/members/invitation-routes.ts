import { memberOf } from "../../../domain/caller";
import { ApiError } from "../../../domain/errors";
import { emailOf } from "../../../domain/identity";
import type { Deps } from "../../../http/deps";
import { reply } from "../../../http/edge/reply";
import { accountOperation } from "../../../http/operation/account-operation";
import { free } from "../../../http/operation/facts";
import { nothing } from "../../../http/operation/input";
import { dayMs } from "../../../lib/clock";
import { invitationLetter } from "../../../services/mail/templates";
import { actorOf } from "../../../store/control/audit";
import {
  invitationMs,
  invite,
  nameOfAccount,
  type openInvitations,
  revokeInvitation,
} from "../../../store/control/invitations";
import { Done } from "../schema";
import { peopleOf, reachOf } from "./grants";
import { type Invitation, InvitationRequest, NewInvitation } from "./schema";

const tag = "Members";

/** The operations by which administrators invite people. */
export const invitationRoutes = (deps: Deps) => [inviteRoute(deps), revokeRoute(deps)];

const inviteRoute = (deps: Deps) =>
  accountOperation("POST /members/invitations", {
    access: free("key"),
    doc: {
      id: "inviteMember",
      summary: "Invite a person to the account",
      description:
        "The response has a link for the person, good once and for 7 days. Where the server sends mail, it also " +
        "mails the link; else give it to the person yourself. Another open invitation of the address is replaced.",
      tag,
      errors: ["ALREADY_MEMBER", "NOT_FOUND", "RATE_LIMITED", "UNAVAILABLE"],
    },
    takes: InvitationRequest,
    returns: { 201: NewInvitation },
    handle: ({ caller, input }) => {
      const { accountId, email: invitedBy } = memberOf(caller);
      const { role = "viewer", people, projects: named = null } = input;
      const email = emailOf(input.email);
      const projects = reachOf(deps, caller, named);
      const made = { accountId, email, role, projects, people: peopleOf(role, people), invitedBy };
      const { control, config, mail } = deps;
      const account = nameOfAccount(control, accountId);
      const urlOf = (token: string): string => `${config.publicUrl}/invite#${token}`;
      const { row, token } = invite(control, actorOf(caller), made, (secret) =>
        mail.queue("invitation", email, (sender) =>
          invitationLetter(sender, {
            ...{ inviter: invitedBy, account, url: urlOf(secret), days: invitationMs / dayMs },
          }),
        ),
      );
      const isMailed = row.mailId !== null;
      const shown = viewInvitation({ row, mail: isMailed ? "queued" : null });
      return reply(201, { ...shown, url: urlOf(token), mailed: isMailed });
    },
  });

const revokeRoute = (deps: Deps) =>
  accountOperation("DELETE /members/invitations/{id}", {
    access: free("key"),
    doc: {
      id: "revokeInvitation",
      summary: "Revoke an invitation",
      description: "Its link stops working immediately.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: Done },
    handle: ({ caller, params: { id = "" } }) => {
      if (revokeInvitation(deps.control, actorOf(caller), caller.account.id, id)) {
        return { ok: true };
      }
      throw new ApiError(
        "NOT_FOUND",
        "This account has no such open invitation. GET /members lists them.",
      );
    },
  });

export const viewInvitation = ({
  row,
  mail,
}: ReturnType<typeof openInvitations>[number]): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  projects: row.projects === null ? null : [...row.projects],
  people: row.people,
  created_at: new Date(row.createdAtMs).toISOString(),
  expires_at: new Date(row.expiresAtMs).toISOString(),
  invited_by: row.invitedBy,
  mail: mail ?? "none",
});
