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
      if (!(await confirmed("The events of this id go back to it.", "Unlink it"))) return;
      const body = { project, previous_id: id };
      const { answer } = await call<Unlinked>({
        method: "POST",
        path: "/identities/unlink",
        body,
      });
      forget();
      setId("");
      setDone(`Unlinked. ${exact(answer.events)} events went back.`);
    });
  };
  return (
    <Card title="Somebody else's events?">
      <p class="fine">
        An id that was linked to this person by mistake can stand for itself again.
      </p>
      <form class="row-form" onSubmit={unlink} aria-busy={isBusy}>
        <label>
          The id that was linked
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
