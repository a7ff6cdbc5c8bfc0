import { useRef } from "preact/hooks";
import { type Phrase, type Sentence, sentencesOf } from "../../../domain/changes/sentences";
import type { ChangesAnswer } from "../../data/answers";
import { beforeIn } from "../../data/compared";
import type { GoalRowsAnswer } from "../../data/goal-rows";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { linkToFiltered } from "../../state/links";
import { compareMode, filters, linkTo, place } from "../../state/route";
import { scope } from "../../state/scope";
import { Said } from "../../ui/said";
import { filterOf } from "../changes/state";
import type { Overview } from "./data";
import { factsOf, judgedDates, metricOfVisitors } from "./summary-facts";

/** Says in a few sentences what the numbers below show. The old sentences stay until the new numbers arrive. */
export function Summary({ overview }: { readonly overview: Overview }) {
  const shown = useRef<readonly Sentence[]>([]);
  const { now, overTime, hasBefore, totals } = overview;
  const { period, comparison } = scope.value;
  // Nothing else on the page waits for these.
  const isThere = !now.isStale && !overTime.isStale && hasBefore;
  const judged = isThere ? judgedDates(period) : null;
  const changes = useRead<ChangesAnswer>(
    "What changed",
    judged && queries.changes(scope.value, metricOfVisitors, judged),
  );
  const goals = useRead<GoalRowsAnswer>("Goals", queries.goals(scope.value));
  if (!now.isStale) {
    const visitors = {
      current: Number(totals?.unique_users ?? 0),
      previous: beforeIn(totals, "unique_users"),
    };
    const facts =
      !hasBefore || comparison === null || visitors.current + visitors.previous === 0
        ? null
        : factsOf({
            ...{ period, comparison, mode: compareMode.value, visitors },
            changes: changes.isStale ? undefined : changes.data,
            goals: goals.isStale ? [] : (goals.data?.rows ?? []),
          });
    shown.current = facts === null ? [] : sentencesOf(facts, (text) => text);
  }
  return (
    <>
      {shown.current.map((sentence) => (
        <SentenceText key={sentence.about} sentence={sentence} />
      ))}
    </>
  );
}

/** A sentence with links: values filter the page, goals are chosen, and a change leads to What changed. */
const SentenceText = ({ sentence: { about, phrases } }: { readonly sentence: Sentence }) => (
  <span>
    {phrases.map((phrase, at) => (
      <PhraseText key={at} phrase={phrase} link={about === "change" ? whyLink() : linkOf(phrase)} />
    ))}{" "}
  </span>
);

const whyLink = (): string => linkTo("changes", place.value.project, { metric: metricOfVisitors });

function linkOf({ driver, goal }: Phrase): string | null {
  if (goal?.id !== undefined) return linkTo("overview", place.value.project, { goal: goal.id });
  if (driver === undefined) return null;
  const filter = filterOf(driver.dimension, driver.value, metricOfVisitors);
  return filter && linkToFiltered("overview", [...filters.value, filter]);
}

const PhraseText = ({ phrase, link }: { readonly phrase: Phrase; readonly link: string | null }) =>
  link === null ? (
    <Said text={phrase.text} />
  ) : (
    <a class="link" href={link}>
      <Said text={phrase.text} />
    </a>
  );
