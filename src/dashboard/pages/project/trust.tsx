import { useState } from "preact/hooks";
import { storedText } from "../../../lib/inert-text";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import { forget, prepare, useRead } from "../../data/reads";
import type { FlaggedValue, TrustAnswer, TrustPolicy } from "../../data/trust-answers";
import { countOf, localDate } from "../../lib/words";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { Said, SaidWhole } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";

const shownDays = "30d";

/** Texts of visitors that read like orders to programs, and what answers show in their place. */
export function Trust({ project }: { readonly project: Project }) {
  const [isShown, setShown] = useState(false);
  const request = {
    method: "GET",
    path: "/trust",
    query: { project: project.name, since: shownDays, ...(isShown && { show: "true" }) },
  } as const;
  const reading = useRead<TrustAnswer>("Flagged texts", request);
  const { error, isBusy, run } = useAction();
  const decide = (policy: TrustPolicy) =>
    run(async () => {
      await call({ method: "PUT", path: "/trust", body: { project: project.name, ...policy } });
      forget();
      await prepare(request, 0);
    });
  return (
    <Card about="texts" title="Suspicious texts" id="trust-heading">
      <p class="fine">
        Anyone can send text that an agent reads later. Rules flag text that looks like an
        instruction to an agent. Flagged events still count.
      </p>
      <When reading={reading} rows={3}>
        {(answer) => (
          <Flagged
            {...{ answer, isBusy, isShown }}
            show={() => setShown(!isShown)}
            decide={decide}
          />
        )}
      </When>
      <Outcome error={error} done="" />
    </Card>
  );
}

interface FlaggedProps {
  readonly answer: TrustAnswer;
  readonly isBusy: boolean;
  readonly isShown: boolean;
  readonly show: () => void;
  readonly decide: (policy: TrustPolicy) => void;
}

function Flagged({ answer, isBusy, isShown, show, decide }: FlaggedProps) {
  const { policy, summary, values } = answer;
  const clear = ({ digest, cleared }: FlaggedValue) => {
    const others = policy.cleared.filter((one) => one !== digest);
    decide({ ...policy, cleared: cleared ? others : [...others, digest] });
  };
  return (
    <>
      <div class="form">
        <label>
          In API responses and in this dashboard, show
          <small>
            The list below always has the original texts. Filters accept a text or its mark.
          </small>
          <select
            id="trust-flagged"
            value={policy.flagged}
            disabled={isBusy}
            onChange={({ currentTarget: { value } }) =>
              decide({ ...policy, flagged: value === "mask" ? "mask" : "show" })
            }
          >
            <option value="show">the flagged texts, unchanged</option>
            <option value="mask">a mark instead of the text</option>
          </select>
        </label>
        <p>{sentenceOf(summary)}</p>
      </div>
      <ul class="entries">
        {values.map((value) => (
          <li key={`${value.field} ${value.key ?? ""} ${value.digest}`}>
            <div>
              <strong>{placeLabel(value)}</strong>
              {value.key !== undefined && (
                <>
                  {" "}
                  <Said text={value.key} />
                </>
              )}
              <p class="fine">{factsOf(value)}</p>
              {value.text !== undefined && (
                <p class="said">
                  <SaidWhole text={storedText(value.text)} />
                </p>
              )}
            </div>
            <button
              type="button"
              class="small"
              aria-label={`${value.cleared ? "Flag again" : "Clear"} ${value.digest}`}
              disabled={isBusy}
              onClick={() => clear(value)}
            >
              {value.cleared ? "Flag again" : "Clear"}
            </button>
          </li>
        ))}
      </ul>
      {values.length > 0 && (
        <button type="button" class="small" id="trust-show" aria-pressed={isShown} onClick={show}>
          {isShown ? "Hide the texts" : "Show the texts"}
        </button>
      )}
    </>
  );
}

const sentenceOf = ({ values, events }: TrustAnswer["summary"]): string =>
  values === 0
    ? "No flagged texts in the last 30 days."
    : `${countOf(values, "text")} in ${countOf(events, "event")} from the last 30 days.`;

const places: Readonly<Record<FlaggedValue["field"], string>> = {
  event: "Name of an event",
  property_key: "Name of a property",
  properties: "Property",
  session_id: "Session",
  user_id: "Visitor",
  traits: "Traits",
};
const placeLabel = ({ field }: FlaggedValue): string => places[field];

const factsOf = ({ categories, digest, length, events, last_seen, cleared }: FlaggedValue) =>
  [
    categories.join(", ").replaceAll("_", " "),
    countOf(length, "character"),
    countOf(events, "event"),
    `last ${localDate(last_seen)}`,
    digest,
    ...(cleared ? ["cleared"] : []),
  ].join(" · ");
