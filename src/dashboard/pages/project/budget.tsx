import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { BudgetAnswer } from "../../data/project-answers";
import { forget, prepare, useRead } from "../../data/reads";
import { exact } from "../../lib/format";
import { Card } from "../../ui/card";
import { Choice } from "../../ui/field";
import { Form } from "../../ui/form";
import { When } from "../../ui/states";

const policies = {
  refuse: "Refuse new events",
  forget_oldest: "Delete the oldest days, never the last 7",
};
const megabyte = 1e6;
/** In megabytes. */
const byte = 0.000001;

/** The budget of the project, and the part that it uses now. */
export function Budget({ project }: { readonly project: Project }) {
  const path = `/projects/${encodeURIComponent(project.id)}`;
  const reading = useRead<BudgetAnswer>("Budget", { method: "GET", path });
  return (
    <Card title="Budget" id="budget-heading">
      <When reading={reading} rows={3}>
        {(answer) => <Fields path={path} answer={answer} />}
      </When>
    </Card>
  );
}

interface FieldsProps {
  readonly path: string;
  readonly answer: BudgetAnswer;
}

function Fields({ path, answer }: FieldsProps) {
  const { budget } = answer;
  const [events, setEvents] = useState(String(budget?.events_per_month ?? ""));
  const [megabytes, setMegabytes] = useState(
    budget?.bytes === undefined ? "" : String(budget.bytes / megabyte),
  );
  const [policy, setPolicy] = useState(budget?.when_over ?? "refuse");
  const isForgetting = policy === "forget_oldest";
  const save = async () => {
    const limits = {
      ...(events !== "" && !isForgetting && { events_per_month: Number(events) }),
      ...(megabytes !== "" && { bytes: Math.round(Number(megabytes) * megabyte) }),
    };
    const isNone = Object.keys(limits).length === 0;
    const sent = isNone ? null : { ...limits, when_over: policy };
    await call({ method: "PATCH", path, body: { budget: sent } });
    forget();
    await prepare({ method: "GET", path }, 0);
    return isNone ? "The project has no budget." : "Saved.";
  };
  return (
    <Form send={save} submit="Save">
      <p id="budget-used">{sentenceOf(answer)}</p>
      <Choice
        id="budget-policy"
        label="When the budget is used up"
        options={policies}
        value={policy}
        change={(value) => setPolicy(value === "forget_oldest" ? "forget_oldest" : "refuse")}
      />
      {!isForgetting && (
        <label>
          Events per month
          <small>Months are those of UTC. Imported events do not count.</small>
          <input
            id="budget-events"
            type="number"
            min={1}
            step={1}
            value={events}
            onInput={(event) => setEvents(event.currentTarget.value)}
          />
        </label>
      )}
      <label>
        Megabytes of events and recordings
        {!isForgetting && <small>Leave it empty for no limit.</small>}
        <input
          id="budget-megabytes"
          type="number"
          required={isForgetting}
          min={byte}
          step={byte}
          value={megabytes}
          onInput={(event) => setMegabytes(event.currentTarget.value)}
        />
      </label>
      <p class="fine">
        The server mails administrators at 80% and at 100%. Without a number there is no budget.
      </p>
    </Form>
  );
}

function sentenceOf({ bytes, events_this_month: events, budget }: BudgetAnswer): string {
  const used = `${exact(events)} events this month, and ${sizeOf(bytes)} in all`;
  if (budget === null) return `The project stored ${used}. It has no budget.`;
  const limits = [
    budget.events_per_month !== undefined && `${exact(budget.events_per_month)} events per month`,
    budget.bytes !== undefined && sizeOf(budget.bytes),
  ].filter((one) => one !== false);
  return `The project stored ${used}, of a budget of ${limits.join(" and ")}.`;
}

/** Two digits are enough to see how much is left. */
function sizeOf(bytes: number): string {
  const [divisor, unit] = bytes < 1e9 ? [megabyte, "MB"] : [1e9, "GB"];
  const amount = bytes / divisor;
  return `${amount < 0.1 ? "less than 0.1" : exact(Math.round(amount * 10) / 10)} ${unit}`;
}
