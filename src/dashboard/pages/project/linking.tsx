import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import { forget } from "../../data/reads";
import { loadProjects } from "../../state/account";
import { Card } from "../../ui/card";
import { Choice } from "../../ui/field";
import { Outcome } from "../../ui/outcome";
import { useAction } from "../../ui/use-action";

const senders = { any: "Browsers and servers", servers: "Servers only" };

/** From whom the server accepts that two ids are one visitor. */
export function Linking({ project: { id, identify } }: { readonly project: Project }) {
  const { error, run } = useAction();
  const change = (sender: string) =>
    run(async () => {
      const path = `/projects/${encodeURIComponent(id)}`;
      await call({ method: "PATCH", path, body: { identify: sender } });
      await loadProjects();
      forget();
    });
  return (
    <Card title="Linked IDs">
      <div class="form">
        <p class="fine">The token is public, so anyone can send what a browser can send.</p>
        <Choice
          id="identify"
          label="Accept links between two IDs from"
          options={senders}
          value={identify}
          change={change}
        />
        <Outcome error={error} done="" />
      </div>
    </Card>
  );
}
