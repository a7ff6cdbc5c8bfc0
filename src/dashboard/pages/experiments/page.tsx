import { useState } from "preact/hooks";
import type { Experiment, ExperimentAnswer, ExperimentsAnswer } from "../../data/answers";
import { type ApiRequest, call, demoToken } from "../../data/api";
import { prepare, useRead } from "../../data/reads";
import { shortDate } from "../../lib/dates";
import { exact, percent } from "../../lib/format";
import { param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { Scroll } from "../../ui/scroll";
import { Empty, When } from "../../ui/states";
import { Interval, intervalOf } from "./interval";

const listRequest = (): ApiRequest => ({
  method: "GET",
  path: "/experiments",
  query: { project: scope.value.project },
});
const resultRequest = (id: string): ApiRequest => ({ method: "GET", path: `/experiments/${id}` });

/** Tests on visitors: which variant leads more of them to the goal, and how sure that is. */
export function ExperimentsPage() {
  const list = useRead<ExperimentsAnswer>("Experiments", listRequest());
  return (
    <When reading={list} rows={10}>
      {({ experiments }) => {
        const chosen = experiments.find(({ id }) => id === param("id")) ?? experiments[0];
        if (chosen === undefined)
          return (
            <Empty>
              <strong>No experiment yet</strong>
              <p>One is made by POST /experiments, and by an agent that may write them.</p>
            </Empty>
          );
        return (
          <div class="experiments">
            <ul class="card choices">
              {experiments.map((one) => (
                <Choice key={one.id} one={one} isChosen={one === chosen} />
              ))}
            </ul>
            <Result id={chosen.id} />
          </div>
        );
      }}
    </When>
  );
}

const Choice = ({ one, isChosen }: { readonly one: Experiment; readonly isChosen: boolean }) => (
  <li>
    <button
      type="button"
      aria-current={isChosen ? "true" : undefined}
      onClick={() => set({ id: one.id })}
    >
      <bdi class="cut">{one.name}</bdi>
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
  const { name, goal_event, status, winner, created_at, completed_at, results } = answer;
  const until = completed_at === null ? "" : ` until ${shortDate(completed_at.slice(0, 10))}`;
  const intervals = results.variants.map(({ conversions, unique_users }) =>
    intervalOf(conversions, unique_users),
  );
  const max = Math.max(...intervals.map(({ high }) => high), 0.01);
  return (
    <Card
      title={name}
      wide
      tools={
        <span class="fine">
          {status}
          {winner === null ? "" : `, ${winner} chosen`}, since {shortDate(created_at.slice(0, 10))}
          {until}
        </span>
      }
    >
      <Verdict answer={answer} />
      <p class="finding">
        Goal:{" "}
        <b>
          <bdi>{goal_event}</bdi>
        </b>
        , at or after the first time somebody saw the variant.
      </p>
      <Scroll label="Variants" csv="variants">
        <table class="grid variants">
          <thead>
            <tr>
              <th scope="col">Variant</th>
              <th scope="col" class="num">
                People
              </th>
              <th scope="col" class="num">
                Reached it
              </th>
              <th scope="col" class="num">
                Rate
              </th>
              <th scope="col">Rate, 95% interval</th>
              <th scope="col" class="num">
                Lift
              </th>
              <th scope="col">Probability to be the best</th>
            </tr>
          </thead>
          <tbody>
            {results.variants.map((variant, i) => {
              const chance = results.probability_best[variant.key] ?? 0;
              const lift = results.lift[variant.key] ?? 0;
              return (
                <tr key={variant.key}>
                  <th scope="row">
                    <bdi>{variant.key}</bdi>
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
    </Card>
  );
}

/** The recommendation in words for people; the API's own text is for agents. */
function Verdict({ answer: { id, status, results } }: { readonly answer: ExperimentAnswer }) {
  const [error, setError] = useState("");
  const [best = "", chance = 0] =
    Object.entries(results.probability_best).sort((a, b) => b[1] - a[1])[0] ?? [];
  const lift = Math.round((results.lift[best] ?? 0) * 100);
  const sure = chance > 0.995 ? "more than 99%" : percent(chance);
  const missing = results.variants
    .filter(({ exposures }) => exposures < 100)
    .map(({ key, exposures }) => `${key} needs ${100 - exposures} more`);
  const texts: Readonly<Record<string, string>> = {
    insufficient_data: `Too early: ${missing.join(", ")} exposures.`,
    winner: `“${best}” is the best with a probability of ${sure}, ${lift}% against the other. That is conclusive.`,
    leaning: `“${best}” leads with a probability of ${percent(chance)}, which is not conclusive yet.`,
    inconclusive: "No variant stands out.",
  };
  const end = async () => {
    if (
      !confirm(
        `End the experiment and choose “${best}”? Pages stop testing within a minute; there is no way back.`,
      )
    )
      return;
    await call({
      method: "PATCH",
      path: `/experiments/${id}`,
      body: { status: "completed", winner: best },
    }).then(
      () => Promise.all([prepare(resultRequest(id), 0), prepare(listRequest(), 0)]),
      (failure: Error) => setError(failure.message),
    );
  };
  return (
    <div class="verdict" data-code={results.recommendation_code}>
      <p>{texts[results.recommendation_code] ?? results.recommendation}</p>
      {results.recommendation_code === "winner" &&
        status === "active" &&
        demoToken.value === "" && (
          <button type="button" class="primary" onClick={() => void end()}>
            End, and choose “{best}”
          </button>
        )}
      {error !== "" && (
        <p role="alert" class="warn">
          {error}
        </p>
      )}
    </div>
  );
}
