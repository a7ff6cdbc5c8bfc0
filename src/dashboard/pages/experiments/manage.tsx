import type { ExperimentAnswer } from "../../data/answers";
import { call } from "../../data/api";
import { prepare } from "../../data/reads";
import { CopyBlock } from "../../ui/copy-block";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { useAction } from "../../ui/use-action";
import { listRequest, resultRequest } from "./requests";

/** The actions on an experiment: pause it, choose a variant, and put that into the page. */
export function Manage({ answer }: { readonly answer: ExperimentAnswer }) {
  const { id, name, status, results } = answer;
  const { error, isBusy, run } = useAction();
  const change = (body: Readonly<Record<string, unknown>>) =>
    run(async () => {
      await call({ method: "PATCH", path: `/experiments/${encodeURIComponent(id)}`, body });
      // The list comes later: who sees the new state here may act on it.
      void prepare(listRequest(), 0);
      await prepare(resultRequest(id), 0);
    });
  const end = async (winner: string) => {
    const text =
      `End the experiment with “${winner}” as the winner? Within a minute, pages stop testing and show their ` +
      "original content to all visitors. This cannot be undone.";
    if (await confirmed(text, "End experiment")) change({ status: "completed", winner });
  };
  if (status === "completed") return <Apply answer={answer} />;
  const isPaused = status === "paused";
  return (
    <>
      <div class="buttons manage" aria-busy={isBusy}>
        <button
          type="button"
          class="second"
          onClick={() => change({ status: isPaused ? "active" : "paused" })}
        >
          {isPaused ? "Resume" : "Pause"}
        </button>
        {results.variants.map(({ key }) => (
          <button key={key} type="button" class="second" onClick={() => void end(key)}>
            End with winner “{key}”
          </button>
        ))}
      </div>
      <Outcome error={error} done="" />
      <InPage name={name} keys={results.variants.map(({ key }) => key)} />
    </>
  );
}

/** The server changes no page: who owns the site does. */
const Apply = ({ answer: { name, winner } }: { readonly answer: ExperimentAnswer }) =>
  winner === null ? null : (
    <p class="finding">
      “<Said text={winner} />” won. To apply it, make it the content of the element with{" "}
      <code>data-aa-experiment="{name}"</code>, and remove the attributes of the experiment.
    </p>
  );

/** Shows how a page takes part: the tracker puts the texts of the variants in. */
const InPage = ({ name, keys }: { readonly name: string; readonly keys: readonly string[] }) => (
  <details class="in-page">
    <summary>How to add it to a page</summary>
    <CopyBlock
      what="the experiment's element"
      text={`<h1 data-aa-experiment="${name}"${keys
        .slice(1)
        .map((key) => ` data-aa-variant-${key}="Text of ${key}"`)
        .join("")}>Text as it is</h1>`}
    />
  </details>
);
