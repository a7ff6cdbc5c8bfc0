import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { Goal, GoalExperimentsAnswer, GoalsAnswer } from "../../data/goal-answers";
import type { GoalRow, GoalRowsAnswer } from "../../data/goal-rows";
import { goalMax } from "../../data/limits";
import { query } from "../../data/queries";
import { forget, prepare, useRead } from "../../data/reads";
import type { ViewsAnswer } from "../../data/sharing-answers";
import { FilterText } from "../../frame/filter-text";
import { exact, percent } from "../../lib/format";
import { money } from "../../lib/money";
import { countOf } from "../../lib/words";
import { conditionOf } from "../../state/filters";
import { periodOf } from "../../state/period";
import { may } from "../../state/rights";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { Empty, When } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { limitWords } from "./goal-draft";
import { GoalForm } from "./goal-form";

const listOf = ({ name }: Project) =>
  ({ method: "GET", path: "/goals", query: { project: name } }) as const;

/** The goals of a project with their last 30 days, and a form for those who may change them. */
export function Goals({ project }: { readonly project: Project }) {
  const list = listOf(project);
  const reading = useRead<GoalsAnswer>("Goals", list);
  const [changed, setChanged] = useState<Goal | null>(null);
  const count = reading.data?.goals.length ?? 0;
  const close = async () => {
    forget();
    await prepare(list, 0);
    setChanged(null);
    document.getElementById("goals-heading")?.focus();
  };
  return (
    <>
      <Card about="goals" title="Goals" id="goals-heading">
        <p class="fine">
          A goal is an event or a page that means success. Numbers are of the last 30 days.
        </p>
        <When reading={reading} rows={3}>
          {({ goals }) => <List project={project} goals={goals} change={setChanged} />}
        </When>
      </Card>
      {may("edit") &&
        reading.data !== undefined &&
        (changed === null && count >= goalMax.goals ? (
          <Card title="New goal">
            <p class="fine">{limitWords}</p>
          </Card>
        ) : (
          <GoalForm
            key={changed?.id ?? `new ${count}`}
            project={project}
            goal={changed}
            count={count}
            close={close}
          />
        ))}
    </>
  );
}

interface ListProps {
  readonly project: Project;
  readonly goals: readonly Goal[];
  readonly change: (goal: Goal) => void;
}

function List({ project, goals, change }: ListProps) {
  const { from, to } = periodOf("30d");
  const request = query({ project: project.name, goals: true, date_from: from, date_to: to });
  const { data } = useRead<GoalRowsAnswer>("Goals", goals.length === 0 ? null : request);
  const { error, isBusy, run } = useAction();
  const remove = (goal: Goal) =>
    run(async () => {
      const question = `Delete the goal “${goal.name}”? Its events stay. ${await dependentsOf(project, goal)}`;
      if (!(await confirmed(question, "Delete"))) return;
      await call({ method: "DELETE", path: `/goals/${encodeURIComponent(goal.id)}` });
      forget();
      await prepare(listOf(project), 0);
      document.getElementById("goals-heading")?.focus();
    });
  if (goals.length === 0) {
    return (
      <Empty>
        <strong>No goals yet</strong>
        <p>
          {may("edit")
            ? "Make one from an event such as purchase, or from a page such as /thanks."
            : "An editor of this project can make some."}
        </p>
      </Empty>
    );
  }
  return (
    <>
      <ul id="goals" class="entries">
        {goals.map((goal) => (
          <li key={goal.id}>
            <div>
              <strong>
                <Said text={goal.name} />
              </strong>
              <Definition goal={goal} />
              <p>{numbersOf(data?.rows.find((one) => one.goal.id === goal.id))}</p>
            </div>
            {may("edit") && (
              <>
                <button
                  type="button"
                  class="small"
                  aria-label={`Change ${goal.name}`}
                  onClick={() => change(goal)}
                >
                  Change
                </button>
                <button
                  type="button"
                  class="small danger"
                  aria-label={`Delete ${goal.name}`}
                  disabled={isBusy}
                  onClick={() => remove(goal)}
                >
                  Delete
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
      <Outcome error={error} done="" />
    </>
  );
}

/** The definition of a goal in words. */
const Definition = ({ goal }: { readonly goal: Goal }) => (
  <p class="fine">
    {goal.event === null ? "Page " : "Event "}
    <Said text={goal.event ?? goal.page ?? ""} />
    {goal.filters
      .map(conditionOf)
      .filter((one) => one !== null)
      .map((one, i) => (
        <span key={i}>
          {i === 0 ? " where " : " and "}
          <FilterText filter={one} />
        </span>
      ))}
    {goal.value !== null &&
      `, value ${goal.value.property}${goal.value.currency === null ? "" : ` in ${goal.value.currency}`}`}
    {goal.once_per !== null && `, once per ${goal.once_per}`}
  </p>
);

/** `42 times in 40 sessions, 3.3% of all, €1,234.00`; nothing until the numbers are there. */
const numbersOf = (row: GoalRow | undefined): string =>
  row === undefined
    ? ""
    : [
        `${exact(row.goal_events)} times in ${countOf(row.conversions, "session")}`,
        `${percent(row.conversion_rate)} of all`,
        ...(row.revenue === null ? [] : [money(row.revenue, row.currency)]),
      ].join(", ");

/** Names the experiments, which keep the goal's definition, and the saved views, which will show an error. */
async function dependentsOf({ name: project }: Project, { id, name }: Goal): Promise<string> {
  const query = { project };
  const [experiments, views] = await Promise.all([
    call<GoalExperimentsAnswer>({ method: "GET", path: "/experiments", query }),
    call<ViewsAnswer>({ method: "GET", path: "/views", query }),
  ]);
  const usingExperiments = experiments.answer.experiments.filter(({ goal }) => goal?.id === id);
  const usingViews = views.answer.views.filter(({ address }) => isNamedIn(address, id, name));
  const listed = (all: readonly { readonly name: string }[]): string =>
    all.map((one) => `“${one.name}”`).join(", ");
  return [
    ...(usingExperiments.length === 0
      ? []
      : [`Experiments that keep its definition: ${listed(usingExperiments)}.`]),
    ...(usingViews.length === 0 ? [] : [`Saved views that stop working: ${listed(usingViews)}.`]),
    "Shares, alerts and reports whose filters name it keep its definition.",
  ].join(" ");
}

function isNamedIn(address: string, id: string, name: string): boolean {
  if (!URL.canParse(address, location.origin)) return false;
  return [...new URL(address, location.origin).searchParams.values()].some(
    (text) => text.includes(id) || (/goal/.test(text) && text.includes(JSON.stringify(name))),
  );
}
