import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import { exact } from "../../lib/format";
import { addressAt } from "../../lib/server-path";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { useAction } from "../../ui/use-action";

/** Deletes a project, once its name was typed. */
export function Removal({ project }: { readonly project: Project }) {
  const [typed, setTyped] = useState("");
  const { error, isBusy, run } = useAction();
  const remove = (event: Event) => {
    event.preventDefault();
    run(async () => {
      await call({ method: "DELETE", path: `/projects/${encodeURIComponent(project.id)}` });
      location.assign(addressAt("/app"));
    });
  };
  return (
    <Card title="Delete the project">
      <p class="fine">
        Its {exact(project.total_events)} events, visitor profiles, experiments and recordings are
        deleted. This cannot be undone.
      </p>
      <form class="row-form" onSubmit={remove} aria-busy={isBusy}>
        <label>
          Type its name, {project.name}
          <input
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="danger" disabled={typed !== project.name}>
          Delete project
        </button>
      </form>
      <Outcome error={error} done="" />
    </Card>
  );
}
