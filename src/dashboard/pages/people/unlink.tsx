import { useState } from "preact/hooks";
import { call } from "../../data/api";
import { forget } from "../../data/reads";
import { exact } from "../../lib/format";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { useAction } from "../../ui/use-action";

interface Unlinked {
  readonly previous_id: string;
  readonly events: number;
}

/** Takes an id away from the person that it was linked to. Which ids a person has been is told by no read. */
export function Unlink({ project }: { readonly project: string }) {
  const [id, setId] = useState("");
  const [done, setDone] = useState("");
  const { error, isBusy, run } = useAction();
  const unlink = (event: Event) => {
    event.preventDefault();
    setDone("");
    run(async () => {
      if (!(await confirmed("This ID gets its own events back.", "Unlink"))) return;
      const body = { project, previous_id: id };
      const { answer } = await call<Unlinked>({
        method: "POST",
        path: "/identities/unlink",
        body,
      });
      forget();
      setId("");
      setDone(`Unlinked. ${exact(answer.events)} events were moved back.`);
    });
  };
  return (
    <Card title="Wrong visitor?">
      <p class="fine">If an ID was linked to this visitor by mistake, unlink it here.</p>
      <form class="row-form" onSubmit={unlink} aria-busy={isBusy}>
        <label>
          ID to unlink
          <input
            value={id}
            required
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setId(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="second">
          Unlink
        </button>
      </form>
      <Outcome error={error} done={done} />
    </Card>
  );
}
