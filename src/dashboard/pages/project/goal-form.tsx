import { useState } from "preact/hooks";
import { visibleText } from "../../../lib/visible-text";
import type { Project } from "../../data/answers";
import { call, Refusal } from "../../data/api";
import type { Goal } from "../../data/goal-answers";
import { goalMax } from "../../data/limits";
import { type Draft, newDraft } from "../../frame/filter-draft";
import { ConditionFields } from "../../frame/filter-editor";
import { brief } from "../../lib/format";
import { Card } from "../../ui/card";
import { Choice, Field } from "../../ui/field";
import { Form, Second } from "../../ui/form";
import { currencies, type Offers, useOffers } from "./goal-choices";
import { definitionOf, draftOf, type GoalDraft, type Place, placeOf, wordsOf } from "./goal-draft";
import { GoalPreview } from "./goal-preview";

interface FormProps {
  readonly project: Project;
  /** The goal to change; null for a new one. */
  readonly goal: Goal | null;
  readonly count: number;
  /** The form calls it after it saved the goal, or when the reader cancels. */
  readonly close: () => Promise<void>;
}

interface WrongField {
  readonly place: Place;
  readonly text: string;
}

/** Makes a goal, or changes one. */
export function GoalForm({ project, goal, count, close }: FormProps) {
  const [draft, setDraft] = useState(() => draftOf(goal));
  const [wrong, setWrong] = useState<WrongField | null>(null);
  const change = (more: Partial<GoalDraft>) => {
    setDraft({ ...draft, ...more });
    setWrong(null);
  };
  const save = async () => {
    const definition = definitionOf(draft);
    if (definition === null) {
      setWrong({ place: "filters", text: "A condition has no value. Write one, or remove it." });
      return;
    }
    const body = { name: draft.name, ...definition };
    const request =
      goal === null
        ? ({ method: "POST", path: "/goals", body: { project: project.name, ...body } } as const)
        : ({ method: "PATCH", path: `/goals/${encodeURIComponent(goal.id)}`, body } as const);
    try {
      await call(request);
    } catch (failure) {
      if (!(failure instanceof Refusal) || failure.status >= 500 || failure.code === "FORBIDDEN")
        throw failure;
      const place = placeOf(failure);
      if (place === "form") throw new Error(wordsOf(failure));
      setWrong({ place, text: wordsOf(failure) });
      return;
    }
    await close();
  };
  const wrongAt = (place: Place) => (wrong?.place === place ? wrong.text : undefined);
  return (
    <Card
      title={goal === null ? "New goal" : `Change ${brief(visibleText(goal.name))}`}
      id="goal-form-heading"
    >
      <Form
        id="goal-form"
        send={save}
        submit={goal === null ? "Create goal" : "Save goal"}
        more={goal !== null && <Second press={() => void close()} />}
      >
        {goal === null && <p class="fine">{`${count} of ${goalMax.goals} goals.`}</p>}
        <Field
          id="goal-name"
          label="Name"
          maxLength={goalMax.nameChars}
          value={draft.name}
          change={(name) => change({ name })}
          wrong={wrongAt("name")}
        />
        <Fields draft={draft} change={change} wrongAt={wrongAt} />
        <GoalPreview project={project} draft={draft} />
      </Form>
    </Card>
  );
}

interface FieldsProps {
  readonly draft: GoalDraft;
  readonly change: (more: Partial<GoalDraft>) => void;
  readonly wrongAt: (place: Place) => string | undefined;
  readonly offers: Offers;
}

function Fields(props: Omit<FieldsProps, "offers">) {
  const offers = useOffers(props.draft);
  return (
    <>
      <MatchFields {...props} offers={offers} />
      <ValueFields {...props} offers={offers} />
    </>
  );
}

/** The event or page that counts, and the conditions on it. */
function MatchFields({ draft, change, wrongAt, offers }: FieldsProps) {
  const isPage = draft.kind === "page";
  return (
    <>
      <Choice
        id="goal-kind"
        label="What counts"
        options={{ event: "An event", page: "A page that visitors reach" }}
        value={draft.kind}
        change={(kind) => change({ kind: kind === "page" ? "page" : "event", match: "" })}
      />
      <Field
        id="goal-match"
        label={isPage ? "Page" : "Event"}
        hint={
          isPage ? "such as /thanks, or /docs/* for all pages below /docs/" : "such as purchase"
        }
        maxLength={256}
        offers={isPage ? offers.pages : offers.events}
        value={draft.match}
        change={(match) => change({ match })}
        wrong={wrongAt("match")}
      />
      <Conditions
        filters={draft.filters}
        change={(filters) => change({ filters })}
        wrong={wrongAt("filters")}
      />
    </>
  );
}

/** The property with the amount, its currency, and the property that counts once. */
function ValueFields({ draft, change, wrongAt, offers }: FieldsProps) {
  return (
    <>
      <Field
        id="goal-value"
        label="Property with the amount"
        hint="optional; its numbers are added as revenue"
        isRequired={false}
        maxLength={200}
        offers={offers.numbers}
        value={draft.property}
        change={(property) => change({ property })}
        wrong={wrongAt("property")}
      />
      {draft.property !== "" && (
        <Field
          id="goal-currency"
          label="Currency"
          hint="optional; three letters, such as EUR"
          isRequired={false}
          maxLength={3}
          offers={currencies}
          value={draft.currency}
          change={(currency) => change({ currency })}
          wrong={wrongAt("currency")}
        />
      )}
      <Field
        id="goal-once"
        label="Count once per"
        hint="optional; a property such as order_id, so that a page loaded again makes no second order"
        isRequired={false}
        maxLength={200}
        offers={offers.ids}
        value={draft.oncePer}
        change={(oncePer) => change({ oncePer })}
        wrong={wrongAt("oncePer")}
      />
    </>
  );
}

interface ConditionsProps {
  readonly filters: readonly Draft[];
  readonly change: (filters: readonly Draft[]) => void;
  readonly wrong: string | undefined;
}

function Conditions({ filters, change, wrong }: ConditionsProps) {
  return (
    <div class="goal-conditions" id="goal-conditions">
      {filters.map((draft, at) => (
        <fieldset key={at} class="goal-condition">
          <legend>Condition {at + 1}</legend>
          <ConditionFields
            draft={draft}
            kind="goal"
            change={(next) => change(filters.map((one, i) => (i === at ? next : one)))}
          />
          <button
            type="button"
            class="small"
            aria-label={`Remove condition ${at + 1}`}
            onClick={() => change(filters.filter((_, i) => i !== at))}
          >
            Remove
          </button>
        </fieldset>
      ))}
      {filters.length < goalMax.filters && (
        <button
          type="button"
          class="small"
          onClick={() => change([...filters, { ...newDraft, field: "country" }])}
        >
          Add a condition
        </button>
      )}
      {wrong !== undefined && (
        <p class="alert" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}
