import type { MembersAnswer } from "../../data/account-answers";
import type { WebhooksAnswer } from "../../data/message-answers";
import { useRead } from "../../data/reads";
import { account } from "../../state/account";
import { Check, emailCharsMax, Field } from "../../ui/field";

const members = { method: "GET", path: "/members" } as const;
const webhooks = { method: "GET", path: "/webhooks" } as const;

/** The roles of the acting account that may make something, and name others than themselves. */
export const mayEdit = (): boolean => account.value?.role !== "viewer";
const mayAdminister = (): boolean =>
  account.value?.role === "admin" || account.value?.role === "owner";

export interface Chosen {
  readonly ids: readonly string[];
  /** Addresses outside the account, as they were typed. */
  readonly others: string;
}
export const nobody: Chosen = { ids: [], others: "" };

export const targetsIn = ({ ids, others }: Chosen): readonly string[] => [
  ...ids,
  ...others.split(/[\s,;]+/).filter((one) => one !== ""),
];

interface TargetsProps {
  readonly form: string;
  readonly chosen: Chosen;
  readonly change: (chosen: Chosen) => void;
  readonly hasMail: boolean;
}

/** The people, webhooks and addresses that a message goes to. */
export function Targets({ form, chosen, change, hasMail }: TargetsProps) {
  const people = useRead<MembersAnswer>("Members", members).data?.members ?? [];
  const own = account.value?.user?.id;
  const shown = mayEdit() ? people : people.filter(({ id }) => id === own);
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
        {shown.map(({ id, email }) => (
          <Check
            key={id}
            id={`${form}-${id}`}
            label={id === own ? `${email} (you)` : email}
            isOn={chosen.ids.includes(id)}
            change={(isOn) => flip(id, isOn)}
          />
        ))}
        {mayAdminister() && <Hooks form={form} chosen={chosen.ids} flip={flip} />}
      </fieldset>
      {mayAdminister() && hasMail && (
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

interface HooksProps {
  readonly form: string;
  readonly chosen: readonly string[];
  readonly flip: (id: string, isOn: boolean) => void;
}

const Hooks = ({ form, chosen, flip }: HooksProps) => (
  <>
    {useRead<WebhooksAnswer>("Webhooks", webhooks).data?.webhooks.map(({ id, name }) => (
      <Check
        key={id}
        id={`${form}-${id}`}
        label={`Webhook ${name}`}
        isOn={chosen.includes(id)}
        change={(isOn) => flip(id, isOn)}
      />
    ))}
  </>
);

/** Names the recipients of something that is there, with what holds for each. */
export function useNames(): (to: readonly { to: string; state: string }[]) => string {
  const people = useRead<MembersAnswer>("Members", members).data?.members ?? [];
  const nameOf = (id: string): string =>
    id.startsWith("whk_") ? "a webhook" : (people.find((one) => one.id === id)?.email ?? id);
  const wordsOf: Readonly<Record<string, string>> = {
    pending: " (has not confirmed yet)",
    stopped: " (has ended it)",
  };
  return (to) =>
    to.length === 0
      ? "nobody any more"
      : to.map((one) => nameOf(one.to) + (wordsOf[one.state] ?? "")).join(", ");
}
