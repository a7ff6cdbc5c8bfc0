import { useEffect, useRef, useState } from "preact/hooks";
import type { WebsiteScan } from "../../../features/website-scans/schema";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import { Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { Said } from "../../ui/said";
import { originsOf } from "../project/origins";

/** The plan beside the snippet: a page of the project's site is read, and what to track first on it is listed. */
export function Plan({ project }: { readonly project: Project }) {
  const domain = originsOf(project).find((origin) => origin !== "*") ?? "";
  const [address, setAddress] = useState(domain.replace("*.", ""));
  const [scan, setScan] = useState<WebsiteScan | null>(null);
  const propose = async () => {
    setScan(null);
    const body = { url: address.trim(), project: project.name };
    setScan((await call<WebsiteScan>({ method: "POST", path: "/website-scans", body })).answer);
  };
  return (
    <>
      <Form id="plan-form" isRow send={propose} submit="Suggest events">
        <Field
          id="plan-address"
          label="Suggested events for this site"
          hint="The server reads the page and suggests what to track first."
          maxLength={2_000}
          value={address}
          change={setAddress}
        />
      </Form>
      {scan !== null && <Proposed key={scan.analysis_id} scan={scan} />}
    </>
  );
}

function Proposed({ scan }: { readonly scan: WebsiteScan }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div id="plan">
      <h3 id="plan-heading" tabIndex={-1} ref={heading}>
        Events to track first on <Said id="plan-title" text={scan.normalized_url} />
      </h3>
      <p id="plan-snippet">{snippetSentence(scan)}</p>
      <ul id="plan-problems" class="entries">
        {scan.installation?.problems.map(({ code, what_to_do }) => (
          <li key={code}>{what_to_do}</li>
        ))}
      </ul>
      <ol id="plan-events" class="entries">
        {scan.preview?.minimum_viable_instrumentation.map((one) => (
          <li key={one.event}>
            <div>
              <strong>{one.event}</strong>
              <p>{one.why_this_matters_now}</p>
              <p class="fine">{one.implementation_hint}</p>
            </div>
          </li>
        ))}
      </ol>
      <p class="fine">
        Texts in quotes come from the page. An agent gets the whole plan with{" "}
        <code>POST /website-scans</code>, and a plan for up to ten pages with{" "}
        <code>"full": true</code>.
      </p>
    </div>
  );
}

function snippetSentence({ installation }: WebsiteScan): string {
  if (installation === undefined) return "The snippet is not on this page yet. Install it first.";
  return installation.problems.length === 0
    ? "The snippet is on this page, and its events are arriving."
    : "The snippet is on this page. Still to do:";
}
