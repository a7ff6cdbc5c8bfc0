import { memberOf } from "../../../domain/caller";
import { isAtLeast, type Standing, seesPeople } from "../../../domain/role";
import { requireRole } from "../../../http/auth/rights";
import type { Deps } from "../../../http/deps";
import { accountOperation } from "../../../http/operation/account-operation";
import { free } from "../../../http/operation/facts";
import { nothing } from "../../../http/operation/input";
import { tellOfMember } from "../../../services/webhooks/member-events";
import { actorOf } from "../../../store/control/audit";
import { openInvitations } from "../../../store/control/invitations";
import {
  changeMember,
  membersOf,
  removeMember,
  type ShownMember,
} from "../../../store/control/members";
import { Done } from "../schema";
import { membersExample } from "./example";
import { notYourself, reachOf } from "./grants";
import { viewInvitation } from "./invitation-routes";
import { Member, MemberChange, MemberList } from "./schema";

const tag = "Members";

/** The operations on the members of an account. */
export const memberRoutes = (deps: Deps) => [listRoute(deps), changeRoute(deps), removeRoute(deps)];

const listRoute = (deps: Deps) =>
  accountOperation("GET /members", {
    access: free("members:read"),
    doc: {
      id: "listMembers",
      summary: "List members and open invitations",
      description:
        "The owner first. Administrators and the owner also get the rights of each member and the open " +
        "invitations.",
      tag,
      example: membersExample,
    },
    takes: nothing,
    returns: { 200: MemberList },
    handle: ({ caller: { account, standing } }) => {
      const members = membersOf(deps.control, account.id);
      if (standing === null || !isAtLeast(standing.role, "admin")) {
        return {
          members: members.map(({ person, member }) => ({
            ...{ id: person.id, email: person.email, role: member.role },
          })),
        };
      }
      return {
        members: members.map(view),
        invitations: openInvitations(deps.control, account.id).map(viewInvitation),
      };
    },
  });

const changeRoute = (deps: Deps) =>
  accountOperation("PATCH /members/{id}", {
    access: free("key"),
    doc: {
      id: "changeMember",
      summary: "Change a member's role and rights",
      description:
        "Holds from the member's next request on. Absent fields stay unchanged. The owner cannot be changed, and " +
        "nobody changes their own rights.",
      tag,
      errors: ["NOT_FOUND", "UNAVAILABLE"],
    },
    takes: MemberChange,
    returns: { 200: Member },
    handle: ({ caller, input, params: { id = "" } }) => {
      const { accountId, personId } = memberOf(caller);
      if (id === personId) throw notYourself();
      const { role, people, projects: named } = input;
      const change = {
        ...(role !== undefined && { role }),
        ...(people !== undefined && { people }),
        ...(named !== undefined && {
          projects: reachOf(deps, caller, named === "all" ? null : named),
        }),
      };
      return view(changeMember(deps.control, actorOf(caller), { accountId, personId: id }, change));
    },
  });

const removeRoute = (deps: Deps) =>
  accountOperation("DELETE /members/{id}", {
    access: free("key", "", { role: "viewer" }),
    doc: {
      id: "removeMember",
      summary: "Remove a member, or leave the account",
      description:
        "Administrators remove others; anybody but the owner leaves with their own id. Key and agents of the " +
        "member in this account stop working immediately. What the member made stays. A log-in that is in no " +
        "account any more is deleted.",
      tag,
      errors: ["NOT_FOUND", "LAST_OWNER", "UNAVAILABLE"],
    },
    takes: nothing,
    returns: { 200: Done },
    handle: ({ caller, params: { id = "" } }) => {
      const { accountId, personId } = memberOf(caller);
      if (id !== personId) requireRole("admin", caller);
      const { email: byEmail } = memberOf(caller);
      deps.control.write(() => {
        const { person, member } = removeMember(deps.control, actorOf(caller), {
          ...{ accountId, personId: id },
        });
        tellOfMember(deps, {
          ...{ event: "member.removed", accountId, by: { id: personId, email: byEmail } },
          member: { id, email: person.email, role: member.role },
        });
      });
      return { ok: true };
    },
  });

/** `people` is what holds: administrators and the owner always see single visitors. */
const view = ({ person, member, lastSeenAtMs, hasFactor }: ShownMember): Member => ({
  ...{ id: person.id, email: person.email },
  ...rightsOf(member),
  two_factor: hasFactor,
  joined_at: new Date(member.joinedAtMs).toISOString(),
  last_seen_at: lastSeenAtMs === null ? null : new Date(lastSeenAtMs).toISOString(),
});

const rightsOf = (standing: Standing) => ({
  role: standing.role,
  projects: standing.projects === null ? null : [...standing.projects],
  people: seesPeople(standing),
});
