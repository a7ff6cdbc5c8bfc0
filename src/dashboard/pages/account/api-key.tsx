import { useEffect, useRef, useState } from "preact/hooks";
import type { KeyAnswer } from "../../data/account-answers";
import { call } from "../../data/api";
import { prepare, useRead } from "../../data/reads";
import { localDate } from "../../lib/words";
import { loadProjects } from "../../state/account";
import { Card } from "../../ui/card";
import { CopyBlock } from "../../ui/copy-block";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";

const path = "/account/api-key";
const request = { method: "GET", path } as const;

/** One key an account; it is shown only when it is made. */
export function ApiKey() {
  const [key, setKey] = useState("");
  const { error, isBusy, run } = useAction();
  const reading = useRead<KeyAnswer>("The API key", request);
  const settle = async (made: string) => {
    setKey(made);
    await Promise.all([prepare(request, 0), loadProjects()]);
  };
  const make = (at: string) => async () => {
    const { answer } = await call<{ api_key: string }>({ method: "POST", path: at });
    await settle(answer.api_key);
  };
  const replace = async () => {
    const question = "Replace the API key? The old key stops working immediately.";
    if (await confirmed(question, "Replace")) await make("/account/revoke-key")();
  };
  const remove = async () => {
    const question = "Delete the API key? It stops working immediately.";
    if (!(await confirmed(question, "Delete"))) return;
    await call({ method: "DELETE", path });
    await settle("");
  };
  return (
    <Card title="API key">
      <p class="fine">
        Scripts and agents use it to read your numbers. Anyone who has it can do nearly everything
        that you can.
      </p>
      {key !== "" && <NewKey value={key} />}
      <When reading={reading} rows={1}>
        {(state) => (
          <>
            <p id="key-state">{stateOf(state)}</p>
            <div class="buttons" aria-busy={isBusy}>
              {state.has_api_key ? (
                <>
                  <button
                    id="key-replace"
                    type="button"
                    class="second"
                    onClick={() => run(replace)}
                  >
                    Replace
                  </button>
                  <button id="key-delete" type="button" class="danger" onClick={() => run(remove)}>
                    Delete
                  </button>
                </>
              ) : (
                <button id="key-make" type="button" class="primary" onClick={() => run(make(path))}>
                  Create the API key
                </button>
              )}
            </div>
          </>
        )}
      </When>
      <Outcome error={error} done="" />
    </Card>
  );
}

/** Takes the focus when it comes, so that it is read out. */
export function NewKey({ value }: { readonly value: string }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => root.current?.focus(), [value]);
  return (
    <div id="key-new" tabIndex={-1} ref={root}>
      <p>
        This is your API key. <strong>It is shown only now</strong>: store it in a safe place.
      </p>
      <CopyBlock id="key" text={value} what="the API key" />
    </div>
  );
}

function stateOf({ has_api_key, prefix, created_at, last_used_at }: KeyAnswer): string {
  if (!has_api_key) return "You have no API key.";
  const used = last_used_at === null ? "never used" : `last used ${localDate(last_used_at)}`;
  return `It begins with ${prefix}, was created ${localDate(created_at)}, and was ${used}.`;
}
