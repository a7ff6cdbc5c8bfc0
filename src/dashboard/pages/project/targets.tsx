import type { MembersAnswer } from "../../data/account-answers";
import type { Project } from "../../data/answers";
import type { Target, WebhooksAnswer } from "../../data/message-answers";
import { useRead } from "../../data/reads";
import { account } from "../../state/account";
import { may } from "../../state/rights";
import { Check, emailCharsMax, Field } from "../../ui/field";

const members = { method: "GET", path: "/members" } as const;
const webhooks = { method: "GET", path: "/webhooks" } as const;

const useMembers = () => useRead<MembersAnswer>("Members", members).data?.members ?? [];
/** Only administrators may list the webhooks of the account. */
const useHooks = () =>
  useRead<WebhooksAnswer>("Webhooks", may("administer") ? webhooks : null).data?.webhooks ?? [];

export interface Chosen {
  readonly ids: readonly string[];
  /** Addresses outside the account, as they were typed. */
  readonly others: string;
}
export const nobody: Chosen = { ids: [], others: "" };

/** The recipients of an existing alert or report, with which its form begins. */
export const chosenOf = (to: readonly Target[]): Chosen => ({
  ids: to.map((one) => one.to).filter((one) => !one.includes("@")),
  others: to
    .map((one) => one.to)
    .filter((one) => one.includes("@"))
    .join(", "),
});

export const targetsIn = ({ ids, others }: Chosen): readonly string[] => [
  ...ids,
  ...others.split(/[\s,;]+/).filter((one) => one !== ""),
];

interface TargetsProps {
  readonly form: string;
  readonly project: Project;
  readonly chosen: Chosen;
  readonly change: (chosen: Chosen) => void;
  readonly hasMail: boolean;
}

/** The people, webhooks and addresses that a message goes to. A viewer sees nobody but themselves. */
export function Targets({ form, project, chosen, change, hasMail }: TargetsProps) {
  const nameOf = useNameOf();
  const people = useMembers();
  const hooks = useHooks();
  const own = account.value?.user?.id;
  const shown = people
    .filter(({ id }) => may("edit") || id === own)
    .filter(({ projects }) => projects?.includes(project.id) ?? true);
  const offered = [...shown, ...hooks].map(({ id }) => id);
  const flip = (id: string, isOn: boolean) =>
    change({ ...chosen, ids: isOn ? [...chosen.ids, id] : chosen.ids.filter((one) => one !== id) });
  return (
    <>
      {!hasMail && (
        <p class="fine">
          This server sends no mail yet, so people get nothing. Webhooks and this page work.
        </p>
      )}
      <fieldset class="checks">
        <legend>Send to</legend>
        {[...new Set([...offered, ...chosen.ids])].map((id) => (
          <Check
            key={id}
            id={`${form}-${id}`}
            label={id === own ? `${nameOf(id)} (you)` : nameOf(id)}
            isOn={chosen.ids.includes(id)}
            change={(isOn) => flip(id, isOn)}
          />
        ))}
      </fieldset>
      {may("administer") && hasMail && (
        <Field
          id={`${form}-others`}
          label="Other addresses"
          hint="optional; each confirms by mail first"
          isRequired={false}
          maxLength={5 * emailCharsMax}
          value={chosen.others}
          change={(others) => change({ ...chosen, others })}
        />
      )}
    </>
  );
}

/** Names a recipient: a person by the address, a webhook by its name to those who may see it. */
function useNameOf(): (id: string) => string {
  const people = useMembers();
  const hooks = useHooks();
  return (id) => {
    if (!id.startsWith("whk_")) {
      return people.find((one) => one.id === id)?.email ?? (id.includes("@") ? id : "a person");
    }
    const hook = hooks.find((one) => one.id === id);
    if (hook === undefined) return "a webhook";
    return `webhook ${hook.name}${hook.enabled ? "" : " (switched off)"}`;
  };
}

/** Names the recipients of something that is there, with what holds for each. */
export function useNames(): (to: readonly Target[]) => string {
  const nameOf = useNameOf();
  const wordsOf: Readonly<Record<string, string>> = {
    pending: " (has not confirmed yet)",
    stopped: " (has ended it)",
  };
  return (to) =>
    to.length === 0
      ? "nobody any more"
      : to.map((one) => nameOf(one.to) + (wordsOf[one.state] ?? "")).join(", ");
}
