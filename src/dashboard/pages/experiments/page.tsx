import type { Experiment, ExperimentAnswer, ExperimentsAnswer } from "../../data/answers";
import { useRead } from "../../data/reads";
import { shortDate } from "../../lib/dates";
import { exact, percent } from "../../lib/format";
import { may } from "../../state/rights";
import { param, set } from "../../state/route";
import { Card } from "../../ui/card";
import { Said } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { Empty, When } from "../../ui/states";
import { Interval, intervalOf } from "./interval";
import { Manage } from "./manage";
import { NewExperiment } from "./new-experiment";
import { listRequest, resultRequest } from "./requests";

/** Tests on visitors: which variant leads more of them to the goal, and how sure that is. */
export function ExperimentsPage() {
  const list = useRead<ExperimentsAnswer>("Experiments", listRequest());
  return (
    <When reading={list} rows={10}>
      {({ experiments }) => {
        const chosen = experiments.find(({ id }) => id === param("id")) ?? experiments[0];
        const isNew = param("new") !== "" && may("edit");
        if (chosen === undefined && !isNew) return <None />;
        return (
          <div class="experiments">
            <div class="stack">
              {experiments.length > 0 && (
                <ul class="card choices">
                  {experiments.map((one) => (
                    <Choice key={one.id} one={one} isChosen={!isNew && one === chosen} />
                  ))}
                </ul>
              )}
              {may("edit") && !isNew && <MakeButton />}
            </div>
            {isNew || chosen === undefined ? <NewExperiment /> : <Result id={chosen.id} />}
          </div>
        );
      }}
    </When>
  );
}

const MakeButton = () => (
  <button type="button" class="second" id="experiment-new" onClick={() => set({ new: "yes" })}>
    New experiment
  </button>
);

const None = () => (
  <Empty>
    <strong>No experiments yet</strong>
    <p>
      An experiment shows each visitor one of several variants of a page, and measures which leads
      more of them to a goal.
    </p>
    {may("edit") && <MakeButton />}
  </Empty>
);

const Choice = ({ one, isChosen }: { readonly one: Experiment; readonly isChosen: boolean }) => (
  <li>
    <button
      type="button"
      aria-current={isChosen ? "true" : undefined}
      onClick={() => set({ id: one.id, new: null })}
    >
      <Said class="cut" text={one.name} />
      <small>{one.status}</small>
    </button>
  </li>
);

function Result({ id }: { readonly id: string }) {
  const reading = useRead<ExperimentAnswer>("Result of the experiment", resultRequest(id));
  return (
    <When reading={reading} rows={10}>
      {(answer) => <Answer answer={answer} />}
    </When>
  );
}

function Answer({ answer }: { readonly answer: ExperimentAnswer }) {
  const { name, goal, goal_event, status, winner, created_at, completed_at, results } = answer;
  const until = completed_at === null ? "" : ` until ${shortDate(completed_at.slice(0, 10))}`;
  const intervals = results.variants.map(({ conversions, unique_users }) =>
    intervalOf(conversions, unique_users),
  );
  const max = Math.max(...intervals.map(({ high }) => high), 0.01);
  return (
    <Card
      about="experiments"
      title={name}
      wide
      tools={
        <span class="fine">
          {status}
          {winner === null ? "" : `, winner: ${winner}`}, since {shortDate(created_at.slice(0, 10))}
          {until}
        </span>
      }
    >
      <Verdict answer={answer} />
      <p class="finding">
        Goal:{" "}
        <b>
          <Said text={goal?.name ?? goal_event} />
        </b>
        , counted from the visitor's first view of the variant.
      </p>
      <Scroll label="Variants" csv="variants">
        <table class="grid variants">
          <thead>
            <tr>
              <th scope="col">Variant</th>
              <th scope="col" class="num">
                Visitors
              </th>
              <th scope="col" class="num">
                Conversions
              </th>
              <th scope="col" class="num">
                Rate
              </th>
              <th scope="col">Rate, 95% interval</th>
              <th scope="col" class="num">
                Lift
              </th>
              <th scope="col">Probability of being best</th>
            </tr>
          </thead>
          <tbody>
            {results.variants.map((variant, i) => {
              const chance = results.probability_best[variant.key] ?? 0;
              const lift = results.lift[variant.key] ?? 0;
              return (
                <tr key={variant.key}>
                  <th scope="row">
                    <Said text={variant.key} />
                    {i === 0 && <small> unchanged</small>}
                  </th>
                  <td class="num">{exact(variant.unique_users)}</td>
                  <td class="num">{exact(variant.conversions)}</td>
                  <td class="num">{(variant.conversion_rate * 100).toFixed(1)}%</td>
                  <td class="interval-cell">
                    <Interval interval={intervals[i] ?? { low: 0, mean: 0, high: 0 }} max={max} />
                  </td>
                  <td class="num">
                    {i === 0 ? "–" : `${lift > 0 ? "+" : ""}${(lift * 100).toFixed(0)}%`}
                  </td>
                  <td class="chance">
                    <span class="track">
                      <i style={{ inlineSize: `${chance * 100}%` }} />
                    </span>
                    <b>{chance > 0.995 && chance < 1 ? ">99%" : percent(chance)}</b>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
      {may("edit") && <Manage answer={answer} />}
    </Card>
  );
}

/** The recommendation in words for people; the API's own text is for agents. */
function Verdict({ answer: { results } }: { readonly answer: ExperimentAnswer }) {
  const [best = "", chance = 0] =
    Object.entries(results.probability_best).sort((a, b) => b[1] - a[1])[0] ?? [];
  const lift = Math.round((results.lift[best] ?? 0) * 100);
  const sure = chance > 0.995 ? "more than 99%" : percent(chance);
  const missing = results.variants
    .filter(({ exposures }) => exposures < 100)
    .map(({ key, exposures }) => `${key} needs ${100 - exposures} more`);
  const texts: Readonly<Record<string, string>> = {
    insufficient_data: `Too early: ${missing.join(", ")} exposures.`,
    winner:
      `“${best}” is the best variant with a probability of ${sure}, ${lift}% compared with the other. This ` +
      "is conclusive.",
    leaning: `“${best}” is ahead with a probability of ${percent(chance)}. This is not conclusive yet.`,
    inconclusive: "No variant is clearly better yet.",
  };
  return (
    <div class="verdict" data-code={results.recommendation_code}>
      <p>{texts[results.recommendation_code] ?? results.recommendation}</p>
    </div>
  );
}
