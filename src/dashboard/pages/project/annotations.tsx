import { useState } from "preact/hooks";
import type { Annotation } from "../../data/answers";
import { call } from "../../data/api";
import { contextMax } from "../../data/limits";
import { forget } from "../../data/reads";
import { dateAt, longDate, startOfDate, today } from "../../lib/dates";
import { Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { Outcome } from "../../ui/outcome";
import { Said } from "../../ui/said";
import { useAction } from "../../ui/use-action";

interface AnnotationsProps {
  readonly project: string;
  readonly annotations: readonly Annotation[];
}

/** The dates on which something changed, which stand in the charts. */
export function Annotations({ project, annotations }: AnnotationsProps) {
  const [date, setDate] = useState(today());
  const [title, setTitle] = useState("");
  const { error, isBusy, run } = useAction();
  const add = async () => {
    const body = { project, occurred_at: startOfDate(date), title: title.trim() };
    await call({ method: "POST", path: "/project-context/annotations", body });
    setTitle("");
    forget();
  };
  const remove = (id: string) =>
    run(async () => {
      const path = `/project-context/annotations/${encodeURIComponent(id)}`;
      await call({ method: "DELETE", path });
      forget();
    });
  return (
    <section class="annotations" aria-labelledby="annotations-title">
      <h3 id="annotations-title">Annotations</h3>
      <p class="fine">
        Annotations mark changes in the charts. {annotations.length} of {contextMax.annotations}.
      </p>
      <ul>
        {annotations.map((one) => (
          <li key={one.id}>
            <time>{longDate(dateAt(one.occurred_at))}</time>
            <span title={one.note}>
              <Said text={one.title} />
            </span>
            <button
              type="button"
              class="small"
              aria-label={`Delete the annotation ${one.title}`}
              disabled={isBusy}
              onClick={() => remove(one.id)}
            >
              Delete
            </button>
          </li>
        ))}
      </ul>
      <Form isRow send={add} submit="Add">
        <label>
          Day
          <input
            type="date"
            value={date}
            required
            onInput={(event) => setDate(event.currentTarget.value)}
          />
        </label>
        <Field id="annotation-title" label="What changed" value={title} change={setTitle} />
      </Form>
      <Outcome error={error} done="" />
    </section>
  );
}
