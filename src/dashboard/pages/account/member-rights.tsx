import { useState } from "preact/hooks";
import { call } from "../../data/api";
import { Form, Second } from "../../ui/form";
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
  const [rights, setRights] = useState<GrantedRights>({
    role: member.role === "owner" ? "admin" : member.role,
    people: member.people ?? false,
    projects: member.projects ?? null,
  });
  const change = async () => {
    const body = { ...rights, projects: rights.projects ?? "all" };
    await call({ method: "PATCH", path: `/members/${member.id}`, body });
    close();
    await settle();
  };
  return (
    <Form id="rights-form" send={change} submit="Save" more={<Second press={close} />}>
      <h3>Rights of {member.email}</h3>
      <RightsOfMember form="rights" rights={rights} change={setRights} />
    </Form>
  );
}
