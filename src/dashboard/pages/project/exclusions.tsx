import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { ExclusionsAnswer } from "../../data/project-answers";
import { forget, prepare, useRead } from "../../data/reads";
import { exact } from "../../lib/format";
import { Card } from "../../ui/card";
import { CopyBlock } from "../../ui/copy-block";
import { Outcome } from "../../ui/outcome";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";

const lists = [
  ["ips", "Addresses and networks", "192.0.2.7 or 192.0.2.0/24"],
  ["countries", "Countries", "DE"],
  ["paths", "Paths of pages", "/admin/* where * is any text"],
  ["hostnames", "Host names of pages", "staging.example.com"],
] as const;
type Rules = Readonly<Record<(typeof lists)[number][0], string>>;

/** A bookmark that stops the tracker in the browser in which it is opened. */
const bookmarklet = "javascript:void(window.aa?aa.optOut():alert('No tracker on this page.'))";

/** The senders and pages whose events are not stored. */
export function Exclusions({ project }: { readonly project: Project }) {
  const path = `/projects/${encodeURIComponent(project.id)}/exclusions`;
  const reading = useRead<ExclusionsAnswer>("Exclusions", { method: "GET", path });
  return (
    <Card title="Excluded visits" id="exclusions-heading">
      <p class="fine">
        Matching events are answered and not stored. Events that are stored already stay.
      </p>
      <When reading={reading} rows={4}>
        {(answer) => <Form key={JSON.stringify(textsOf(answer))} path={path} answer={answer} />}
      </When>
    </Card>
  );
}

interface FormProps {
  readonly path: string;
  readonly answer: ExclusionsAnswer;
}

function Form({ path, answer }: FormProps) {
  const [rules, setRules] = useState<Rules>(() => textsOf(answer));
  const { error, isBusy, run } = useAction();
  const { your_address: own } = answer;
  const put = (next: Rules) =>
    run(async () => {
      const body = Object.fromEntries(lists.map(([name]) => [name, linesOf(next[name])]));
      await call({ method: "PUT", path, body });
      forget();
      await prepare({ method: "GET", path }, 0);
    });
  const save = (event: Event) => {
    event.preventDefault();
    put(rules);
  };
  return (
    <form class="form" onSubmit={save} aria-busy={isBusy}>
      {own !== null && !answer.ips.includes(own) && (
        <button
          type="button"
          id="exclude-own"
          class="second"
          disabled={isBusy}
          onClick={() => put({ ...rules, ips: `${rules.ips}\n${own}` })}
        >
          Exclude my address, {own}
        </button>
      )}
      {lists.map(([name, label, example]) => (
        <label key={name}>
          {label}
          <small>One per line, for example {example}.</small>
          <textarea
            id={`exclude-${name}`}
            rows={2}
            value={rules[name]}
            spellcheck={false}
            onInput={({ currentTarget: { value } }) => setRules({ ...rules, [name]: value })}
          />
        </label>
      ))}
      <Outcome error={error} done="" />
      <button type="submit" class="primary">
        Save
      </button>
      <p>{countsOf(answer)}</p>
      <p class="fine">
        For a browser that changes networks, make a bookmark of this text and open it on your site:
        the tracker then stops in that browser.
      </p>
      <CopyBlock text={bookmarklet} what="the bookmark" />
    </form>
  );
}

const textsOf = (answer: ExclusionsAnswer): Rules => ({
  ips: answer.ips.join("\n"),
  countries: answer.countries.join("\n"),
  paths: answer.paths.join("\n"),
  hostnames: answer.hostnames.join("\n"),
});

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function countsOf({ excluded_24h: counts }: ExclusionsAnswer): string {
  const told = Object.entries(counts).filter(([, events]) => events > 0);
  if (told.length === 0) return "Nothing was excluded in the last 24 hours.";
  const parts = told.map(([reason, events]) => `${exact(events)} by ${words[reason] ?? reason}`);
  return `Excluded in the last 24 hours: ${parts.join(", ")}.`;
}
const words: Readonly<Record<string, string>> = { ip: "address", blocked: "erasure" };
