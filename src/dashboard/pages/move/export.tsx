import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { refusalOf } from "../../data/api";
import { addressOf } from "../../data/request";
import { addressAt } from "../../lib/server-path";
import { Card } from "../../ui/card";
import { Choice } from "../../ui/field";
import { Form } from "../../ui/form";
import { useAction } from "../../ui/use-action";

const kinds = {
  all: "Everything, to move to another server",
  events: "Events",
  sessions: "Sessions",
  profiles: "Visitor profiles",
  identities: "Linked IDs",
  history: "Imported days",
  bot_traffic: "Automated requests by day",
  context: "Goals and annotations",
} as const;
const undated: readonly string[] = ["profiles", "identities", "context"];

const formats = {
  jsonl: "JSON Lines: complete and exact",
  csv: "CSV: for spreadsheets",
  parquet: "Parquet: for programs that read columns",
} as const;
type Format = keyof typeof formats;

const formatsOf = (kind: string): readonly Format[] =>
  kind === "all"
    ? ["jsonl"]
    : kind === "events" || kind === "sessions"
      ? ["jsonl", "csv", "parquet"]
      : ["jsonl", "csv"];

/** Everything of the project as a file, which the browser saves. */
export function ExportCard({ project }: { readonly project: Project }) {
  const [kind, setKind] = useState("all");
  const [wanted, setFormat] = useState<Format>("jsonl");
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  const action = useAction();
  const allowed = formatsOf(kind);
  const format = allowed.includes(wanted) ? wanted : "jsonl";
  const isDated = !undated.includes(kind);
  const download = async () => {
    const query = {
      ...{ project: project.id, kind, format },
      ...(format !== "parquet" && { compress: "gzip" }),
      ...(isDated && since !== "" && { since }),
      ...(isDated && until !== "" && { until }),
    };
    await save(addressAt(addressOf({ method: "GET", path: "/export", query })));
    return "The download has begun. Your browser shows how far it is.";
  };
  return (
    <Card title="Move out: export" id="export-heading">
      <p class="fine">The file is compressed, and shows one moment.</p>
      <Form
        send={download}
        submit="Download"
        submitId="export"
        action={action}
        isDisabled={action.isBusy}
      >
        <Choice id="export-kind" label="What" options={kinds} value={kind} change={setKind} />
        <Choice
          id="export-format"
          label="Format"
          options={Object.fromEntries(allowed.map((one) => [one, formats[one]]))}
          value={format}
          change={(value) => setFormat(allowed.find((one) => one === value) ?? "jsonl")}
        />
        {isDated && (
          <div class="row-form">
            <DateField id="export-since" label="First day" value={since} change={setSince} />
            <DateField id="export-until" label="Last day" value={until} change={setUntil} />
          </div>
        )}
      </Form>
      <p class="card-note">
        For large projects use the command <code>sightline export</code>: it continues a download
        that breaks off.{" "}
        <a class="link" href="/docs/guides/export">
          More about exports
        </a>
      </p>
    </Card>
  );
}

interface DateFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

const DateField = ({ id, label, value, change }: DateFieldProps) => (
  <label>
    <span>
      {label} <small>optional</small>
    </span>
    <input
      id={id}
      type="date"
      value={value}
      onInput={(event) => change(event.currentTarget.value)}
    />
  </label>
);

/** Asks for the file once, so that a refusal can be shown in words, and lets the browser save it. */
async function save(address: string): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(address, { signal: leaving.signal });
  if (!response.ok) throw refusalOf(response, await response.text());
  leaving.abort();
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
