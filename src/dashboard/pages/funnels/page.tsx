import { FunnelChart } from "../../charts/funnel-chart";
import type { FunnelAnswer, FunnelStep, PropertiesAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { exact, percent } from "../../lib/format";
import { nameOf } from "../../state/filters";
import { param } from "../../state/route";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { FilterButton } from "../../ui/filter-button";
import { filterOf, labelOf } from "../../ui/list-values";
import { Scroll } from "../../ui/scroll";
import { Empty, Waiting, When } from "../../ui/states";
import { Unreadable } from "../../ui/unreadable";
import { Builder } from "./builder";
import { linksOf } from "./links";
import { requestOf, stepsOf, unreadableSteps } from "./state";
import type { Step } from "./steps";

/** The page that shows how many get from the first step to the last, and where the others leave. */
export function FunnelsPage() {
  const own = stepsOf();
  const opened = useRead<FunnelAnswer>("The funnel", requestOf(own));
  const known = useRead<PropertiesAnswer>(
    "Events and property keys",
    queries.properties(scope.value),
  );
  const needsSteps = opened.error?.code === "INVALID_FUNNEL_STEPS" && own.length === 0;
  const isFromContext = own.length === 0 && !needsSteps;
  const proposed = needsSteps ? proposal(known.data) : [];
  const isProposed = proposed.length > 1;
  const instead = useRead<FunnelAnswer>(
    "The suggested funnel",
    isProposed ? requestOf(proposed) : null,
  );
  const reading = isProposed ? instead : opened;
  const steps: readonly Step[] =
    own.length > 0
      ? own
      : needsSteps
        ? proposed
        : (reading.data?.steps ?? []).map(({ event }) => ({ event, filters: [] }));
  return (
    <div class="funnels">
      <Builder
        steps={steps}
        origin={isProposed ? "proposed" : isFromContext ? "context" : "own"}
        known={known.data}
      />
      <div class="funnel-answer">
        <Unreadable texts={unreadableSteps()} />
        {(needsSteps && !isProposed) || own.length === 1 ? (
          <section class="card">
            <Empty>
              <strong>
                {own.length === 1 ? "Add another step" : "Choose the steps of your funnel"}
              </strong>
              <p>Choose two to eight events in order.</p>
            </Empty>
          </section>
        ) : reading.data === undefined && reading.error === null ? (
          <section class="card">
            <Waiting rows={8} />
          </section>
        ) : (
          <When reading={reading}>{(answer) => <Answer answer={answer} steps={steps} />}</When>
        )}
      </div>
    </div>
  );
}

/** Proposes, without activation events, what people do most. */
const proposal = (known: PropertiesAnswer | undefined): Step[] =>
  (known?.events ?? []).slice(0, 2).map(({ event }) => ({ event, filters: [] }));

interface AnswerProps {
  readonly answer: FunnelAnswer;
  readonly steps: readonly Step[];
}

function Answer({ answer, steps }: AnswerProps) {
  const who = param("by") === "session_id" ? "sessions" : "visitors";
  const last = answer.steps.at(-1);
  const worst = worstOf(answer.steps);
  const termOf = (event: string) =>
    answer.project_context?.glossary.find((entry) => entry.event_name === event)?.term;
  return (
    <>
      <Card
        about="funnel"
        title={`${percent(answer.overall_conversion_rate)} of ${who} reach the last step`}
        wide
        tools={
          <span class="fine">
            {exact(last?.users ?? 0)} of {exact(answer.steps[0]?.users ?? 0)}
          </span>
        }
      >
        {worst !== null && (
          <p class="finding">
            The largest drop-off is between <b>{worst.from}</b> and <b>{worst.to}</b>:{" "}
            {exact(worst.lost)} {who}, {percent(worst.rate)} of those who reached that step.
          </p>
        )}
        {answer.warnings.map((text) => (
          <p key={text} class="finding warn">
            {text}
          </p>
        ))}
        <FunnelChart
          steps={answer.steps}
          worst={worst?.step}
          termOf={termOf}
          linksOf={(step) => linksOf(steps, step)}
        />
        {answer.caveats.length > 0 && (
          <ul class="caveats">
            {answer.caveats.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
      </Card>
      {answer.breakdowns !== undefined && <Breakdown answer={answer} />}
    </>
  );
}

function worstOf(steps: readonly FunnelStep[]) {
  let found: {
    step: number;
    from: string;
    to: string;
    lost: number;
    rate: number;
  } | null = null;
  for (const [i, step] of steps.entries()) {
    const before = steps[i - 1];
    if (before === undefined) continue;
    const lost = before.users - step.users;
    if (lost > 0 && lost > (found?.lost ?? 0))
      found = {
        ...{ step: step.step, from: before.event, to: step.event },
        ...{ lost, rate: step.drop_off_rate },
      };
  }
  return found;
}

function Breakdown({ answer }: { readonly answer: FunnelAnswer }) {
  const best = Math.max(
    ...(answer.breakdowns ?? []).map((row) => row.overall_conversion_rate),
    1e-9,
  );
  const by = param("breakdown");
  const field = by === "country" ? by : `properties.${by}`;
  const name = nameOf(field);
  return (
    <Card about="funnel" title={`By ${name}`} wide note="Values come from the event of step 1.">
      <Scroll label="Breakdown" csv="funnel">
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">{name}</th>
              {answer.steps.map((step) => (
                <th key={step.step} scope="col" class="num">
                  {step.event}
                </th>
              ))}
              <th scope="col" class="num">
                First to last
              </th>
            </tr>
          </thead>
          <tbody>
            {answer.breakdowns?.map((row) => (
              <tr key={String(row.value)}>
                <th scope="row">
                  {row.value === null ? (
                    "(none)"
                  ) : (
                    <FilterButton
                      filter={filterOf(field, row.value)}
                      text={labelOf(field, row.value)}
                    />
                  )}
                </th>
                {row.steps.map((step, i) => (
                  <td key={step.step} class="num">
                    {exact(step.users)}
                    {i > 0 && <small> {percent(step.conversion_rates.from_previous)}</small>}
                  </td>
                ))}
                <td class="num meter">
                  <i
                    class="meter-bar"
                    style={{ inlineSize: `${(row.overall_conversion_rate / best) * 100}%` }}
                  />
                  <span>{percent(row.overall_conversion_rate)}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Card>
  );
}
