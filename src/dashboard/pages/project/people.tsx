import type { MembersAnswer } from "../../data/account-answers";
import type { Project } from "../../data/answers";
import { useRead } from "../../data/reads";
import { may } from "../../state/rights";
import { Card } from "../../ui/card";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";

const request = { method: "GET", path: "/members" } as const;

/** The members of the account who see the project. */
export function People({ project }: { readonly project: Project }) {
  const reading = useRead<MembersAnswer>("Members", request);
  return (
    <Card title="People who see this project">
      <When reading={reading} rows={2}>
        {({ members }) => (
          <ul class="entries">
            {members
              .filter(({ projects }) => projects?.includes(project.id) ?? true)
              .map(({ id, email, role, people }) => (
                <li key={id}>
                  <div>
                    <strong>
                      <Said text={email} />
                    </strong>
                    <p class="fine">
                      {role}
                      {people === false && ", sees no single visitors"}
                    </p>
                  </div>
                </li>
              ))}
          </ul>
        )}
      </When>
      {may("administer") && (
        <p class="buttons">
          <a class="second" href="/app/settings">
            Invite people or change their rights
          </a>
        </p>
      )}
    </Card>
  );
}
