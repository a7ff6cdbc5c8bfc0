import { useState } from "preact/hooks";
import { call } from "../../data/api";
import { Outcome } from "../../ui/outcome";
import { useAction } from "../../ui/use-action";
import { type Member, settle } from "./members";
import { type GrantedRights, RightsOfMember } from "./rights-fields";

/** Changes what a member may do and see. */
export function MemberRights({
  member,
  close,
}: {
  readonly member: Member;
  readonly close: () => void;
}) {
  const { error, isBusy, run } = useAction();
  const [rights, setRights] = useState<GrantedRights>({
    role: member.role === "owner" ? "admin" : member.role,
    people: member.people ?? false,
    projects: member.projects ?? null,
  });
  const change = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const body = { ...rights, projects: rights.projects ?? "all" };
      await call({ method: "PATCH", path: `/members/${member.id}`, body });
      close();
      await settle();
    });
  };
  return (
    <form class="form" id="rights-form" onSubmit={change} aria-busy={isBusy}>
      <h3>Rights of {member.email}</h3>
      <RightsOfMember form="rights" rights={rights} change={setRights} />
      <Outcome error={error} done="" />
      <div class="buttons">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" class="second" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
