import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { Source, SourcesAnswer } from "../../data/move-answers";
import { prepare, useRead } from "../../data/reads";
import { exact } from "../../lib/format";
import { countOf, localTime } from "../../lib/words";
import { Card } from "../../ui/card";
import { CopyBlock } from "../../ui/copy-block";
import { Choice } from "../../ui/field";
import { Form } from "../../ui/form";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { changedLines, type Product, products } from "./products";

const pathOf = ({ id }: Project): string => `/projects/${encodeURIComponent(id)}/sources`;
const requestOf = (project: Project) => ({ method: "GET", path: pathOf(project) }) as const;
const nameOf = ({ kind }: Source): string => products[kind]?.name ?? kind;

/** The addresses at which a project takes the events of other products' tracking code. */
export function Sources({ project }: { readonly project: Project }) {
  const request = requestOf(project);
  const reading = useRead<SourcesAnswer>("Addresses for other products", request);
  const { error, isBusy, run } = useAction();
  const remove = (source: Source) =>
    run(async () => {
      const question = `Delete the address for ${nameOf(source)}? It stops taking events immediately.`;
      if (!(await confirmed(question, "Delete"))) return;
      await call({ method: "DELETE", path: `${pathOf(project)}/${encodeURIComponent(source.id)}` });
      await prepare(request, 0);
    });
  return (
    <Card title="Move in: change one address" id="sources-heading" wide>
      <p class="fine">
        Keep the tracking code of the product that you come from, and change one address in it.
      </p>
      <When reading={reading} rows={3}>
        {({ sources }) => (
          <ul id="sources" class="entries sources">
            {sources.map((source) => (
              <li key={source.id}>
                <SourceEntry source={source}>
                  <button
                    type="button"
                    class="small danger"
                    aria-label={`Delete the address for ${nameOf(source)}`}
                    disabled={isBusy}
                    onClick={() => remove(source)}
                  >
                    Delete
                  </button>
                </SourceEntry>
              </li>
            ))}
          </ul>
        )}
      </When>
      <Outcome error={error} done="" />
      <NewSource project={project} />
    </Card>
  );
}

interface EntryProps {
  readonly source: Source;
  readonly children: ComponentChildren;
}

function SourceEntry({ source, children }: EntryProps) {
  const product = products[source.kind];
  return (
    <div>
      <header class="card-head">
        <h3>{nameOf(source)}</h3>
        <span class="card-tools">{children}</span>
      </header>
      <p class="fine">{arrivalsOf(source)}</p>
      {product === undefined ? (
        <CopyBlock text={source.url} what="the address" />
      ) : (
        <Change product={product} url={source.url} />
      )}
    </div>
  );
}

/** The lines of before, beside those of after. */
function Change({ product, url }: { readonly product: Product; readonly url: string }) {
  const after = product.after(url);
  return (
    <>
      <div class="change">
        <div>
          <h4>Before</h4>
          <Lines text={product.before} other={after} />
        </div>
        <div>
          <h4>After</h4>
          <CopyBlock text={after} what={`the lines for ${product.name}`}>
            <ChangedText text={after} other={product.before} />
          </CopyBlock>
        </div>
      </div>
      <p class="card-note">
        {product.note}{" "}
        <a class="link" href={`/docs/guides/switching#${product.name.toLowerCase()}`}>
          More about moving from {product.name}
        </a>
      </p>
    </>
  );
}

const Lines = (props: { readonly text: string; readonly other: string }) => (
  <pre class="code-block">
    <ChangedText {...props} />
  </pre>
);

const ChangedText = ({ text, other }: { readonly text: string; readonly other: string }) => (
  <>
    {changedLines(text, other).map(({ line, isChanged }) =>
      isChanged ? <mark key={line}>{line}</mark> : <span key={line}>{line}</span>,
    )}
  </>
);

function arrivalsOf({ last24h, last_event_at, last_refusal }: Source): string {
  const { accepted, filtered, unsupported, refused } = last24h;
  const refusedCount = Object.values(refused).reduce((sum, count) => sum + count, 0);
  if (last_event_at === null && refusedCount + filtered + unsupported === 0) {
    return "Nothing has arrived yet.";
  }
  const why = last_refusal === null ? "" : `, the last one by ${last_refusal.code}`;
  return [
    `In the last 24 hours: ${countOf(accepted, "event")} stored`,
    ...(filtered > 0 ? [`${exact(filtered)} automated`] : []),
    ...(unsupported > 0 ? [`${exact(unsupported)} that are no events`] : []),
    ...(refusedCount > 0 ? [`${exact(refusedCount)} refused${why}`] : []),
    ...(last_event_at === null ? [] : [`last event ${localTime(last_event_at)}`]),
  ].join("; ");
}

function NewSource({ project }: { readonly project: Project }) {
  const [kind, setKind] = useState("plausible");
  const action = useAction();
  const make = async () => {
    await call({ method: "POST", path: pathOf(project), body: { kind } });
    await prepare(requestOf(project), 0);
  };
  return (
    <Form
      isRow
      send={make}
      submit="Create an address"
      submitId="source-make"
      action={action}
      isDisabled={action.isBusy}
    >
      <Choice
        id="source-kind"
        label="The product that you come from"
        options={Object.fromEntries(Object.entries(products).map(([key, { name }]) => [key, name]))}
        value={kind}
        change={setKind}
      />
    </Form>
  );
}
