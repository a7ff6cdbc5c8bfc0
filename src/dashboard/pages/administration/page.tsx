import { useState } from "preact/hooks";
import type { AccountsAnswer, FeedbackAnswer } from "../../data/account-answers";
import { useRead } from "../../data/reads";
import { localTime } from "../../lib/words";
import { isAdmin } from "../../state/account";
import { Card } from "../../ui/card";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { Accounts } from "./accounts";
import { AdministratorsOnly } from "./administrators-only";
import { MailCard } from "./mail";
import { NewAccount } from "./new-account";
import { accountsRequest } from "./requests";

const feedbackRequest = { method: "GET", path: "/admin/feedback" } as const;

/** This page shows the whole server: its accounts, and what their people say. */
export function AdministrationPage() {
  return isAdmin.value ? <Administration /> : <AdministratorsOnly />;
}

function Administration() {
  const [done, setDone] = useState("");
  const accounts = useRead<AccountsAnswer>("Accounts on this server", accountsRequest);
  return (
    <div class="halves" id="admin">
      <div class="stack">
        <Card title="Accounts" id="accounts-heading">
          <p id="done" class={done === "" ? "visually-hidden" : "done"} role="status">
            {done}
          </p>
          <When reading={accounts} rows={4}>
            {(answer) => <Accounts accounts={answer.accounts} say={setDone} />}
          </When>
        </Card>
      </div>
      <div class="stack">
        <NewAccount say={setDone} />
        <MailCard />
        <Feedback accounts={accounts.data} />
      </div>
    </div>
  );
}

function Feedback({ accounts }: { readonly accounts: AccountsAnswer | undefined }) {
  const reading = useRead<FeedbackAnswer>("Feedback", feedbackRequest);
  const emails = new Map(accounts?.accounts.map(({ id, email }) => [id, email]));
  return (
    <Card title="Feedback">
      <When reading={reading} rows={2}>
        {({ feedback }) =>
          feedback.length === 0 ? (
            <p id="feedback-none">No feedback yet</p>
          ) : (
            <ul id="feedback" class="entries">
              {feedback.map(
                ({ id, account_id, message, project, command, context, created_at }) => (
                  <li key={id}>
                    <div>
                      <p class="said">
                        <Said text={message} />
                      </p>
                      <p class="fine">
                        <Said text={emails.get(account_id) ?? account_id} />,{" "}
                        {localTime(created_at)}
                      </p>
                      {project && (
                        <p class="fine">
                          Project: <Said text={project} />
                        </p>
                      )}
                      {command && <code>{command}</code>}
                      {context && (
                        <p class="fine">
                          <Said text={context} />
                        </p>
                      )}
                    </div>
                  </li>
                ),
              )}
            </ul>
          )
        }
      </When>
    </Card>
  );
}
