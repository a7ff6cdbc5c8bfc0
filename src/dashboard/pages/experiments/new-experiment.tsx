import { useState } from "preact/hooks";
import type { Experiment, PropertiesAnswer } from "../../data/answers";
import { call } from "../../data/api";
import * as queries from "../../data/queries";
import { prepare, useRead } from "../../data/reads";
import { set } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { Field } from "../../ui/field";
import { Form, Second } from "../../ui/form";
import { goalIn, useGoalNames } from "../../ui/goal-names";
import { listRequest } from "./requests";

/** `control, clear` or, with percents of the visitors, `control 40, clear 60`. */
function variantsOf(text: string): { variants: string[]; weights?: number[] } {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const variants = parts.map((part) => part.replace(/\s+\d+\s*%?$/, ""));
  const weights = parts.map((part) => Number(/\s(\d+)\s*%?$/.exec(part)?.[1] ?? Number.NaN));
  return weights.some(Number.isNaN) ? { variants } : { variants, weights };
}

export function NewExperiment() {
  const [name, setName] = useState("");
  const [variants, setVariants] = useState("control, variant");
  const [goal, setGoal] = useState("");
  const { project } = scope.value;
  const known = useRead<PropertiesAnswer>(
    "Events and property keys",
    queries.properties(scope.value),
  ).data;
  const goals = useGoalNames();
  const events = known?.events.map(({ event }) => event).filter((one) => !one.startsWith("$"));
  const chosen = goalIn(goals, goal);
  const make = async () => {
    const goal_event = chosen === undefined ? goal.trim() : { goal: chosen.id };
    const body = { project, name: name.trim(), goal_event, ...variantsOf(variants) };
    const { answer } = await call<Experiment>({ method: "POST", path: "/experiments", body });
    await prepare(listRequest(), 0);
    set({ id: answer.id, new: null });
  };
  return (
    <Card title="New experiment" wide>
      <Form
        id="experiment-form"
        send={make}
        submit="Start experiment"
        more={<Second press={() => set({ new: null })} />}
      >
        <Field
          id="experiment-name"
          label="Name"
          hint="letters, digits, _ and -; used in the page's code"
          pattern="[A-Za-z0-9_\-]+"
          maxLength={64}
          value={name}
          change={setName}
        />
        <Field
          id="experiment-variants"
          label="Variants"
          hint="the first is the original page; optional percentages: control 40, clear 60"
          value={variants}
          change={setVariants}
        />
        <Field
          id="experiment-goal"
          label="Goal"
          hint="a goal or an event"
          offers={[...goals.map((one) => one.name), ...(events ?? [])]}
          value={goal}
          change={setGoal}
        />
        {goal !== "" && !chosen && events?.includes(goal.trim()) === false && (
          <p class="fine warn">No goal has this name, and no event.</p>
        )}
      </Form>
    </Card>
  );
}
