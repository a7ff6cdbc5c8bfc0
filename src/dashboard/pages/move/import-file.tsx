import { useRef, useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { forget } from "../../data/reads";
import { percent } from "../../lib/format";
import { Card } from "../../ui/card";
import { Choice, Field } from "../../ui/field";
import { Form, Second } from "../../ui/form";
import { useAction } from "../../ui/use-action";
import { openImport } from "./current-import";
import { kindNames } from "./import-words";
import { sizeText } from "./size";
import { type UploadStep, upload } from "./upload";

/** A file of another product, or of an export, on its way to the server. */
export function ImportFile({ project }: { readonly project: Project }) {
  const [file, setFile] = useState<File | null>(null);
  const [kind, setKind] = useState("");
  const [timezone, setTimezone] = useState("UTC");
  const [overlap, setOverlap] = useState("drop");
  const [older, setOlder] = useState("fold");
  const [step, setStep] = useState<UploadStep | null>(null);
  const leaving = useRef<AbortController | null>(null);
  const action = useAction();
  const { isBusy } = action;
  const start = async () => {
    if (file === null) return;
    leaving.current = new AbortController();
    const { signal } = leaving.current;
    const options = { ...(kind !== "" && { kind }), timezone, overlap, older };
    try {
      const id = await upload({ project, file, options, show: setStep, signal });
      openImport(id);
    } finally {
      setStep(null);
      forget();
    }
  };
  return (
    <Card title="Move in: import a file" id="import-heading">
      <p class="fine">
        Choose the export of the product that you come from, or a file that another Sightline server
        exported. First you see what would be stored; nothing is stored until you confirm.{" "}
        <a class="link" href="/docs/guides/switching">
          Which file is needed
        </a>
      </p>
      <Form
        send={start}
        submit="Upload and check"
        submitId="import-start"
        action={action}
        isDisabled={isBusy}
        more={
          isBusy && <Second id="import-stop" text="Stop" press={() => leaving.current?.abort()} />
        }
      >
        <label>
          File
          <small>At most 4 GB; it may be a .zip, .gz or .zst.</small>
          <input
            id="import-file"
            type="file"
            required
            disabled={isBusy}
            onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
          />
        </label>
        <Choice
          id="import-kind"
          label="Exported by"
          options={{ "": "Find out from the file", ...kindNames }}
          value={kind}
          change={setKind}
        />
        <Field
          id="import-zone"
          label="Time zone of the file"
          hint="For times in the file that name no zone."
          value={timezone}
          change={setTimezone}
        />
        <Choice
          id="import-overlap"
          label="Rows from the time since this project has events of its own"
          options={{ drop: "Leave out, so that nothing counts twice", keep: "Store too" }}
          value={overlap}
          change={setOverlap}
        />
        <Choice
          id="import-older"
          label="Events that are older than this project keeps events"
          options={{ fold: "Keep their sums of each day", drop: "Leave out" }}
          value={older}
          change={setOlder}
        />
        {step !== null && <Bar step={step} />}
      </Form>
      <p class="card-note">
        Keep this page open during the upload. If it breaks off, choose the file again.
      </p>
    </Card>
  );
}

function Bar({ step: { text, done, total } }: { readonly step: UploadStep }) {
  const share = total === 0 ? 0 : done / total;
  return (
    <p class="progress" id="import-progress">
      <label>
        {text}: {sizeText(done)} of {sizeText(total)} ({percent(share)})
        <progress value={share} max={1} />
      </label>
    </p>
  );
}
