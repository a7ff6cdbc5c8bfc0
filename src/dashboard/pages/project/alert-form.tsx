import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { Alert } from "../../data/message-answers";
import { Check, Choice, Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { chosenOf, nobody, Targets, targetsIn } from "./targets";

export const kinds: Readonly<Record<Alert["kind"], string>> = {
  change: "A day has unusual numbers",
  silence: "No events arrive at a time that usually has some",
  surge: "Many more visitors than usual",
  goal: "An event happened",
};

const directions = { any: "It rises or falls", up: "It rises", down: "It falls" } as const;
const sensitivities = {
  quiet: "Quiet: a false alarm in 50 years",
  normal: "Normal: a false alarm in 5 years",
  sensitive: "Sensitive: a false alarm in 9 months",
} as const;
const pers = { day: "At most once a day", ever: "Only once" } as const;

/** The fields of a form as the person typed them. */
type Draft = Readonly<Record<string, string | boolean>>;

const usual: Draft = {
  ...{ event: "", direction: "any", sensitivity: "normal", after_minutes: "60", fixed: false },
  ...{ at_least: "30", factor: "3", count: "1", per: "day" },
};
const numbers = ["after_minutes", "at_least", "factor", "count"];

/** The fields in which an alert of a kind differs from others. */
const fieldsOf: Readonly<Record<Alert["kind"], readonly string[]>> = {
  change: ["event", "direction", "sensitivity"],
  silence: ["after_minutes", "fixed"],
  surge: ["at_least", "factor"],
  goal: ["event", "count", "per"],
};

/** An alert that tells webhooks of each event has no count. */
const namesOf = (kind: Alert["kind"], alert: Alert | null): readonly string[] =>
  alert?.each === true ? ["event"] : fieldsOf[kind];

function draftOf(alert: Alert): Draft {
  const known = fieldsOf[alert.kind].map((name): [string, string | boolean] => {
    const value = Object.entries(alert).find(([key]) => key === name)?.[1];
    return [name, typeof value === "boolean" ? value : String(value ?? usual[name])];
  });
  return { ...usual, ...Object.fromEntries(known) };
}

interface AlertFormProps {
  readonly project: Project;
  readonly hasMail: boolean;
  /** The alert that the form changes; null for a new one. */
  readonly alert: Alert | null;
  readonly saved: () => Promise<void>;
}

/** Makes an alert, or changes one: its kind stays as it is, and the form sends only fields that differ. */
export function AlertForm({ project, hasMail, alert, saved }: AlertFormProps) {
  const before = alert === null ? usual : draftOf(alert);
  const [name, setName] = useState(alert?.name ?? "");
  const [kind, setKind] = useState<Alert["kind"]>(alert?.kind ?? "change");
  const [draft, setDraft] = useState(before);
  const [chosen, setChosen] = useState(alert === null ? nobody : chosenOf(alert.to));
  const form = alert?.id ?? "alert";
  const send = async () => {
    const fields = namesOf(kind, alert)
      .filter((one) => draft[one] !== before[one])
      .map((one) => [one, numbers.includes(one) ? Number(draft[one]) : draft[one]] as const);
    const set = { name: name.trim(), ...Object.fromEntries(fields), to: targetsIn(chosen) };
    await call(
      alert === null
        ? { method: "POST", path: "/alerts", body: { project: project.name, kind, ...set } }
        : { method: "PATCH", path: `/alerts/${alert.id}`, body: set },
    );
    setName("");
    setDraft(usual);
    setChosen(nobody);
    await saved();
  };
  const change = (field: string) => (value: string | boolean) =>
    setDraft({ ...draft, [field]: value });
  return (
    <Form
      send={send}
      submit={alert === null ? "Create alert" : "Save"}
      isDisabled={targetsIn(chosen).length === 0}
    >
      <Field id={`${form}-name`} label="Name" maxLength={64} value={name} change={setName} />
      {alert === null && (
        <Choice
          id="alert-kind"
          label="When"
          options={kinds}
          value={kind}
          change={(value) => {
            for (const one of ["change", "silence", "surge", "goal"] as const) {
              if (one === value) setKind(one);
            }
          }}
        />
      )}
      <RuleFields form={form} kind={kind} alert={alert} draft={draft} change={change} />
      <Targets form={form} project={project} chosen={chosen} change={setChosen} hasMail={hasMail} />
    </Form>
  );
}

interface RuleProps {
  readonly form: string;
  readonly kind: Alert["kind"];
  readonly alert: Alert | null;
  readonly draft: Draft;
  readonly change: (field: string) => (value: string | boolean) => void;
}

function RuleFields({ form, kind, alert, draft, change }: RuleProps) {
  const names = namesOf(kind, alert);
  const has = (field: string): boolean => names.includes(field);
  const of = (field: string) => ({
    id: `${form}-${field}`,
    value: String(draft[field]),
    change: change(field),
  });
  // The API leaves absent fields as they are, so a named event can change to another one, but not to all events.
  const isNamed = kind === "goal" || alert?.event !== undefined;
  return (
    <>
      {has("event") && (
        <Field
          {...of("event")}
          label="Event"
          hint={isNamed ? "its name" : "optional: if it is empty, all events count"}
          isRequired={isNamed}
          maxLength={256}
        />
      )}
      {has("direction") && <Choice {...of("direction")} label="Change" options={directions} />}
      {has("sensitivity") && (
        <Choice {...of("sensitivity")} label="Sensitivity" options={sensitivities} />
      )}
      {has("after_minutes") && (
        <Amount {...of("after_minutes")} label="Minutes without an event" range={[30, 1_440]} />
      )}
      {has("fixed") && (
        <Check
          id={`${form}-fixed`}
          label="Also in hours that usually have few events"
          isOn={draft.fixed === true}
          change={change("fixed")}
        />
      )}
      {has("at_least") && (
        <Amount {...of("at_least")} label="Visitors in an hour, at least" range={[10, 100_000]} />
      )}
      {has("factor") && (
        <Amount
          {...of("factor")}
          label="Times the most visitors at this time in the last four weeks, at least"
          range={[2, 100]}
        />
      )}
      {has("count") && (
        <Amount {...of("count")} label="Number of events" range={[1, 1_000_000_000]} />
      )}
      {has("per") && <Choice {...of("per")} label="How often the alert fires" options={pers} />}
    </>
  );
}

interface AmountProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly range: readonly [number, number];
}

const Amount = ({ range: [min, max], ...rest }: AmountProps) => (
  <Field {...rest} type="number" min={min} max={max} />
);
