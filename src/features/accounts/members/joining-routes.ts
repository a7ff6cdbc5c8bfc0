import type { Caller } from "../../../domain/caller";
import { ApiError } from "../../../domain/errors";
import { newPasswordOf } from "../../../domain/identity";
import { identifyVisitor } from "../../../http/auth/caller";
import type { Deps } from "../../../http/deps";
import { free } from "../../../http/operation/facts";
import { publicOperation } from "../../../http/operation/public-operation";
import { tellOfMember } from "../../../services/webhooks/member-events";
import { acceptInvitation, invitationOf, nameOfAccount } from "../../../store/control/invitations";
import { personByEmail } from "../../../store/control/people";
import { visitor } from "../asker";
import { SignedIn } from "../schema";
import { refuseForeignPage, requirePasswordLogin, signIn } from "../sign-in";
import { viewAs } from "../view";
import { InvitationAcceptance, InvitationLook, InvitationShown } from "./schema";

const tag = "Sign-in";

/** The operations for the holder of an invitation. They work while registration is closed. */
export const joiningRoutes = (deps: Deps) => [lookRoute(deps), acceptRoute(deps)];

const lookRoute = (deps: Deps) =>
  publicOperation("POST /auth/invitation", {
    access: free("none"),
    doc: {
      id: "getInvitation",
      summary: "Look at an invitation",
      description: "For the page of the link. It accepts nothing.",
      tag,
      errors: ["INVITATION_OVER", "CSRF_FAILED"],
    },
    takes: InvitationLook,
    returns: { 200: InvitationShown },
    handle: ({ input, request }) => {
      refuseForeignPage(deps.config, request);
      const { accountId, email, role, expiresAtMs, invitedBy } = invitationOf(
        deps.control,
        input.token,
      );
      return {
        account: { id: accountId, name: nameOfAccount(deps.control, accountId) },
        ...{ invited_by: invitedBy, email, role },
        expires_at: new Date(expiresAtMs).toISOString(),
        has_login: personByEmail(deps.control, email) !== undefined,
      };
    },
  });

const acceptRoute = (deps: Deps) =>
  publicOperation("POST /auth/invitation/accept", {
    access: free("none"),
    doc: {
      id: "acceptInvitation",
      summary: "Accept an invitation",
      description:
        "Makes the person a member. An address without a log-in gets one with `password`; who has a log-in sends " +
        "the cookie of that address. The response sets a cookie.",
      tag,
      errors: [
        ...(["INVITATION_OVER", "ACCOUNT_EXISTS", "AUTH_REQUIRED", "INVALID_TOKEN"] as const),
        ...(["FORBIDDEN", "PASSWORD_LOGIN_OFF", "CSRF_FAILED", "UNAVAILABLE"] as const),
      ],
    },
    takes: InvitationAcceptance,
    returns: { 200: SignedIn },
    handle: async ({ input: { token, password }, peer, request }) => {
      const { control, passwords } = deps;
      refuseForeignPage(deps.config, request);
      const { email, role } = invitationOf(control, token);
      const join = (joining: Parameters<typeof acceptInvitation>[2]) =>
        control.write(() => {
          const joined = acceptInvitation(control, token, joining);
          const member = { id: joined.personId, email };
          tellOfMember(deps, {
            ...{ event: "member.joined", accountId: joined.accountId, by: member },
            member: { ...member, role },
          });
          return joined;
        });
      const caller = visitorOf(deps, request, email);
      const known = personByEmail(control, email);
      if (known === undefined) {
        requirePasswordLogin(deps);
        const hash = await passwords.hash(newPasswordOf(password ?? ""), visitor(deps, peer()));
        const { personId, accountId } = join({ passwordHash: hash });
        return signIn(deps, personId, 200, request, accountId);
      }
      if (caller === null) {
        throw new ApiError(
          "AUTH_REQUIRED",
          `The address ${email} has a log-in. Log in with it, then accept the invitation.`,
        );
      }
      const { accountId } = join(known);
      return { ok: true as const, account: viewAs(deps, caller, accountId) };
    },
  });

/** The person in whose browser the link was opened; null for nobody. Throws FORBIDDEN for one of another address. */
function visitorOf(deps: Deps, request: Request, email: string): Caller | null {
  const caller = identifyVisitor(deps, request);
  if (caller === null || caller.person?.email === email) return caller;
  throw new ApiError(
    "FORBIDDEN",
    `This invitation is for ${email}, and you are logged in with another address. Log out first.`,
  );
}
