import { useState } from "preact/hooks";
import type { MembersAnswer, OwnAccount } from "../../data/account-answers";
import { call } from "../../data/api";
import { useRead } from "../../data/reads";
import { leaveFor } from "../../lib/server-path";
import { localDate } from "../../lib/words";
import { projects } from "../../state/account";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { MemberRights } from "./member-rights";
import { type Member, membersRequest, settle } from "./members";
import { Ownership } from "./ownership";
import { Invitations, Invite } from "./team-invitations";

/** The people of the account: who they are, what they may do, and who is invited. */
export function Team({ account }: { readonly account: OwnAccount }) {
  const reading = useRead<MembersAnswer>("Members", membersRequest);
  const isAdmin = account.role === "admin" || account.role === "owner";
  return (
    <Card title="Team" id="team-heading">
      <When reading={reading} rows={2}>
        {({ members, invitations = [] }) => (
          <>
            <Members members={members} account={account} isAdmin={isAdmin} />
            <Invitations invitations={invitations} />
            {isAdmin && <Invite />}
            {account.role === "owner" && <Ownership account={account} members={members} />}
          </>
        )}
      </When>
    </Card>
  );
}

interface MembersProps {
  readonly members: readonly Member[];
  readonly account: OwnAccount;
  readonly isAdmin: boolean;
}

function Members({ members, account, isAdmin }: MembersProps) {
  const [changed, setChanged] = useState<Member | null>(null);
  const { error, isBusy, run } = useAction();
  const remove =
    ({ id, email }: Member) =>
    async () => {
      const question = `Remove ${email}? Their key and agents stop working immediately.`;
      if (!(await confirmed(question, "Remove"))) return;
      await call({ method: "DELETE", path: `/members/${id}` });
      await settle();
    };
  const leave = async () => {
    const question = "Leave this account? You lose access to its projects immediately.";
    if (!(await confirmed(question, "Leave"))) return;
    await call({ method: "DELETE", path: `/members/${account.user?.id ?? ""}` });
    leaveFor("/app");
  };
  return (
    <>
      <ul id="members" class="entries">
        {members.map((one) => (
          <li key={one.id}>
            <div>
              <strong>
                <Said text={one.email} />
              </strong>
              <p class="fine">{factsOf(one)}</p>
            </div>
            {one.id === account.user?.id
              ? one.role !== "owner" && (
                  <button type="button" class="small" disabled={isBusy} onClick={() => run(leave)}>
                    Leave
                  </button>
                )
              : isAdmin &&
                one.role !== "owner" && (
                  <>
                    <button
                      type="button"
                      class="small"
                      aria-label={`Change ${one.email}`}
                      onClick={() => setChanged(one)}
                    >
                      Change
                    </button>
                    <button
                      type="button"
                      class="small danger"
                      aria-label={`Remove ${one.email}`}
                      disabled={isBusy}
                      onClick={() => run(remove(one))}
                    >
                      Remove
                    </button>
                  </>
                )}
          </li>
        ))}
      </ul>
      <Outcome error={error} done="" />
      {changed !== null && (
        <MemberRights key={changed.id} member={changed} close={() => setChanged(null)} />
      )}
    </>
  );
}

const factsOf = ({ role, projects: reach, people, last_seen_at: seen }: Member): string =>
  [
    role,
    ...(reach === undefined || reach === null ? [] : [`sees ${namesOf(reach)}`]),
    ...(people === false ? ["sees no single visitors"] : []),
    ...(typeof seen === "string" ? [`last seen ${localDate(seen)}`] : []),
  ].join(", ");

const namesOf = (ids: readonly string[]): string =>
  ids.length === 0
    ? "no project"
    : ids.map((id) => projects.value.find((one) => one.id === id)?.name ?? id).join(", ");
