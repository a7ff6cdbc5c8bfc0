import { projects } from "../../state/account";
import { Check, Choice } from "../../ui/field";

export interface GrantedRights {
  readonly role: "viewer" | "editor" | "admin";
  readonly people: boolean;
  /** Ids; null is all projects. */
  readonly projects: readonly string[] | null;
}

interface Props {
  readonly form: string;
  readonly rights: GrantedRights;
  readonly change: (rights: GrantedRights) => void;
}

const meanings = {
  viewer: "Viewer: sees numbers",
  editor: "Editor: also changes projects and experiments",
  admin: "Admin: also manages members, and deletes projects",
} as const;

/** The fields for what a member may do and see. */
export const RightsOfMember = ({ form, rights, change }: Props) => (
  <>
    <Choice
      id={`${form}-role`}
      label="Role"
      options={meanings}
      value={rights.role}
      change={(value) => {
        if (value !== "viewer" && value !== "editor" && value !== "admin") return;
        change({ ...rights, role: value, people: value !== "viewer" });
      }}
    />
    {rights.role !== "admin" && (
      <Check
        id={`${form}-people`}
        label="May see single visitors: events, sessions, journeys, recordings"
        isOn={rights.people}
        change={(people) => change({ ...rights, people })}
      />
    )}
    <Check
      id={`${form}-all`}
      label="All projects"
      isOn={rights.projects === null}
      change={(isAll) => change({ ...rights, projects: isAll ? null : [] })}
    />
    {rights.projects !== null && (
      <fieldset>
        <legend>Projects</legend>
        {projects.value.map(({ id, name }) => (
          <Check
            key={id}
            id={`${form}-${id}`}
            label={name}
            isOn={rights.projects?.includes(id) === true}
            change={(isOn) => {
              const others = (rights.projects ?? []).filter((one) => one !== id);
              change({ ...rights, projects: isOn ? [...others, id] : others });
            }}
          />
        ))}
      </fieldset>
    )}
  </>
);
