import { useState } from "preact/hooks";
import { call } from "../../data/api";
import { forget } from "../../data/reads";
import { exact } from "../../lib/format";
import { Card } from "../../ui/card";
import { Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { confirmed } from "../../ui/question";

interface Unlinked {
  readonly previous_id: string;
  readonly events: number;
}

/** Takes an id away from the person that it was linked to. Which ids a person has been is told by no read. */
export function Unlink({ project }: { readonly project: string }) {
  const [id, setId] = useState("");
  const unlink = async () => {
    if (!(await confirmed("This ID gets its own events back.", "Unlink"))) return;
    const body = { project, previous_id: id };
    const { answer } = await call<Unlinked>({
      method: "POST",
      path: "/identities/unlink",
      body,
    });
    forget();
    setId("");
    return `Unlinked. ${exact(answer.events)} events were moved back.`;
  };
  return (
    <Card title="Wrong visitor?">
      <p class="fine">If an ID was linked to this visitor by mistake, unlink it here.</p>
      <Form isRow send={unlink} submit="Unlink" look="second">
        <Field id="unlink-id" label="ID to unlink" value={id} change={setId} />
      </Form>
    </Card>
  );
}
