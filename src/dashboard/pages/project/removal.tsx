import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import { exact } from "../../lib/format";
import { addressAt } from "../../lib/server-path";
import { Card } from "../../ui/card";
import { Form } from "../../ui/form";

/** Deletes a project, once its name was typed. */
export function Removal({ project }: { readonly project: Project }) {
  const [typed, setTyped] = useState("");
  const remove = async () => {
    await call({ method: "DELETE", path: `/projects/${encodeURIComponent(project.id)}` });
    location.assign(addressAt("/app"));
  };
  return (
    <Card title="Delete the project">
      <p class="fine">
        Its {exact(project.total_events)} events, visitor profiles, experiments and recordings are
        deleted. This cannot be undone.
      </p>
      <Form
        isRow
        send={remove}
        submit="Delete project"
        look="danger"
        isDisabled={typed !== project.name}
      >
        <label>
          Type its name, {project.name}
          <input
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
      </Form>
    </Card>
  );
}
