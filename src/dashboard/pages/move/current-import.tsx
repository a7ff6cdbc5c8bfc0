import { useEffect } from "preact/hooks";
import { call, mayPoll } from "../../data/api";
import type { ImportAnswer } from "../../data/move-answers";
import { forget, prepare, useRead } from "../../data/reads";
import { loadProjects } from "../../state/account";
import { linkTo, set } from "../../state/route";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { stateText } from "./import-words";
import { Report } from "./report";
import { pathOfImport } from "./upload";

const pollMs = 1_000;
const isRunning = ({ state }: ImportAnswer): boolean =>
  state === "checking" || state === "committing";

/** Shows an import, whose heading takes the focus. */
export function openImport(id: string): void {
  set({ import: id });
  requestAnimationFrame(() => document.getElementById("current-import")?.focus());
}

/** One import: how far it is, what would be stored, and what the person decides. */
export function CurrentImport({ id }: { readonly id: string }) {
  const request = { method: "GET", path: pathOfImport(id) } as const;
  const reading = useRead<ImportAnswer>("An import", request);
  const runs = reading.data !== undefined && isRunning(reading.data);
  useEffect(() => {
    // The list beside it, and the project's events, are others once it has ended.
    if (!runs) return void Promise.all([forget(), loadProjects()]);
    const timer = setInterval(() => {
      if (mayPoll()) void prepare(request, pollMs - 500);
    }, pollMs);
    return () => clearInterval(timer);
  }, [runs, id]);
  return (
    <Card title="The import" id="current-import" wide>
      <When reading={reading} rows={4}>
        {(answer) => (
          <>
            <h3>
              <Said text={answer.name ?? answer.id} />
            </h3>
            <p class={answer.state === "failed" ? "alert" : "finding"} role="status">
              {stateText(answer)}
            </p>
            {isRunning(answer) && (
              <p class="progress">
                <progress value={answer.progress} max={1} aria-label={stateText(answer)} />
              </p>
            )}
            <Decision answer={answer} refresh={() => prepare(request, 0)} />
            {answer.report !== undefined && <Report report={answer.report} />}
          </>
        )}
      </When>
    </Card>
  );
}

interface DecisionProps {
  readonly answer: ImportAnswer;
  readonly refresh: () => Promise<void>;
}

/** Store it, throw it away, or see what it has brought. */
function Decision({ answer, refresh }: DecisionProps) {
  const { id, state } = answer;
  const { error, isBusy, run } = useAction();
  const commit = () =>
    run(async () => {
      await call({ method: "POST", path: `${pathOfImport(id)}/commit`, body: {} });
      await refresh();
    });
  return (
    <>
      <div class="buttons">
        {state === "checked" && (
          <button
            id="import-commit"
            type="button"
            class="primary"
            disabled={isBusy}
            onClick={commit}
          >
            Store it
          </button>
        )}
        {state === "done" && (
          <a class="button" href={linkTo("overview")}>
            See the overview
          </a>
        )}
        <RemoveImport answer={answer} done={() => set({ import: null })} />
      </div>
      <Outcome error={error} done="" />
    </>
  );
}

interface RemoveProps {
  readonly answer: ImportAnswer;
  readonly done: () => void;
}

/** The button that removes an import with all that it stored. */
export function RemoveImport({ answer, done }: RemoveProps) {
  const { error, isBusy, run } = useAction();
  const { id, name, state } = answer;
  const remove = () =>
    run(async () => {
      const what = name ?? id;
      const question =
        state === "done"
          ? `Remove everything that “${what}” stored? Other events stay.`
          : `Delete the upload “${what}”? Nothing of it is stored.`;
      if (!(await confirmed(question, "Remove"))) return;
      await call({ method: "DELETE", path: pathOfImport(id) });
      done();
      forget();
      await loadProjects();
    });
  return (
    <>
      <button
        type="button"
        class="small danger"
        aria-label={`Remove ${name ?? id}`}
        disabled={isBusy || state === "committing"}
        onClick={remove}
      >
        Remove
      </button>
      {error !== "" && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
    </>
  );
}
