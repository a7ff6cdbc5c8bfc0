import { useEffect, useState } from "preact/hooks";
import type { Project, QueryAnswer } from "../../data/answers";
import { query } from "../../data/queries";
import { useRead } from "../../data/reads";
import { exact, percent } from "../../lib/format";
import { money } from "../../lib/money";
import { countOf } from "../../lib/words";
import { periodOf } from "../../state/period";
import { type GoalDraft, questionOf, wordsOf } from "./goal-draft";

const pauseMs = 400;
const metrics = ["goal_events", "conversions", "conversion_rate"];

interface PreviewAnswer extends QueryAnswer {
  readonly warnings?: readonly { readonly message: string }[];
}

/** The number of times that visitors reached the goal in the last 30 days. It asks when the writer pauses. */
export function GoalPreview(props: { readonly project: Project; readonly draft: GoalDraft }) {
  const { project, draft } = props;
  const question = useAfterPause(JSON.stringify(questionOf(draft)));
  const goal: Readonly<Record<string, unknown>> | null = JSON.parse(question);
  const hasValue = goal?.value !== undefined;
  const { from, to } = periodOf("30d");
  const request = {
    ...{ project: project.name, goal, date_from: from, date_to: to },
    metrics: [...metrics, ...(hasValue ? ["revenue"] : [])],
  };
  const { data, error } = useRead<PreviewAnswer>("Preview", goal === null ? null : query(request));
  if (goal === null) return null;
  const row = data?.rows[0];
  const number = (metric: string): number => Number(row?.[metric] ?? 0);
  const code = draft.currency.trim().toUpperCase();
  const sum = hasValue
    ? ` ${money(number("revenue"), /^[A-Z]{3}$/.test(code) ? code : null)}.`
    : "";
  return (
    <div id="goal-preview">
      <p role="status">
        {error !== null
          ? wordsOf(error)
          : row === undefined
            ? "Counting the last 30 days…"
            : `Last 30 days: ${exact(number("goal_events"))} times in ${countOf(number("conversions"), "session")}, ` +
              `${percent(number("conversion_rate"))} of all.${sum}`}
      </p>
      {(data?.warnings ?? []).map(({ message }) => (
        <p key={message} class="fine">
          {message}
        </p>
      ))}
    </div>
  );
}

/** Returns the text after it has stayed the same for a moment. */
function useAfterPause(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
