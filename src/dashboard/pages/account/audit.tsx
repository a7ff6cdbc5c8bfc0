import { useState } from "preact/hooks";
import type { AuditAnswer, MembersAnswer } from "../../data/account-answers";
import { useRead } from "../../data/reads";
import { localTime } from "../../lib/words";
import { Card } from "../../ui/card";
import { optionsOf } from "../../ui/options";
import { SaidWhole } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { When } from "../../ui/states";
import { membersRequest } from "./members";

/** The ways in which somebody did something, in words. */
const ways: Readonly<Record<AuditAnswer["entries"][number]["actor"]["kind"], string>> = {
  cookie: "browser",
  key: "API key",
  agent: "agent",
  oidc: "single sign-on",
  cli: "command on the server",
  server: "the server",
};

const shown = 50;
type Action = AuditAnswer["entries"][number]["action"];

/** The actions by which the log can be narrowed. */
const actions: readonly Action[] = [
  ...(["signed_in", "sign_in_locked", "signed_out_others", "password_changed"] as const),
  ...(["password_reset", "two_factor_on", "two_factor_off", "recovery_code_used"] as const),
  ...(["oidc_linked", "oidc_unlinked", "member_invited"] as const),
  ...(["invitation_revoked", "member_joined", "member_changed", "member_removed"] as const),
  ...(["ownership_transferred", "account_changed", "key_made", "key_revoked"] as const),
  ...(["agent_approved", "agent_revoked", "project_created", "project_changed"] as const),
  ...(["project_deleted", "retention_changed", "exclusions_changed", "share_made"] as const),
  ...(["share_revoked", "webhook_made", "webhook_changed", "webhook_deleted"] as const),
  ...(["report_made", "report_changed", "report_deleted", "alert_made"] as const),
  ...(["alert_changed", "alert_deleted", "person_looked_up", "person_exported"] as const),
  ...(["person_erased", "replay_opened", "data_exported", "data_imported"] as const),
];

/** The log of who changed what, for administrators: the newest entries of the last year, by action and person. */
export function Audit() {
  const [action, setAction] = useState("");
  const [actor, setActor] = useState("");
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const members = useRead<MembersAnswer>("Members", membersRequest).data?.members ?? [];
  const reading = useRead<AuditAnswer>("The audit log", {
    method: "GET",
    path: "/audit",
    query: {
      ...{ since: "365d", limit: shown },
      ...(action !== "" && { action }),
      ...(actor !== "" && { actor }),
      ...(cursors.length > 0 && { cursor: cursors.at(-1) ?? "" }),
    },
  });
  const choose = (set: (value: string) => void) => (value: string) => {
    setCursors([]);
    set(value);
  };
  return (
    <Card title="Audit log" id="audit-heading" wide>
      <div class="buttons">
        <Choice
          id="audit-action"
          label="Action"
          value={action}
          choose={choose(setAction)}
          options={actions.map((one) => [one, wordsOf(one)])}
        />
        <Choice
          id="audit-actor"
          label="Person"
          value={actor}
          choose={choose(setActor)}
          options={members.map(({ id, email }) => [id, email])}
        />
      </div>
      <When reading={reading} rows={5}>
        {({ entries, next_cursor: next }) => (
          <>
            <Entries entries={entries} />
            <p class="pager">
              {cursors.length > 0 && (
                <button
                  type="button"
                  class="small"
                  onClick={() => setCursors(cursors.slice(0, -1))}
                >
                  Newer
                </button>
              )}
              {next !== null && (
                <button type="button" class="small" onClick={() => setCursors([...cursors, next])}>
                  Older
                </button>
              )}
            </p>
          </>
        )}
      </When>
    </Card>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly choose: (value: string) => void;
  readonly options: readonly (readonly [value: string, text: string])[];
}

const Choice = ({ id, label, value, choose, options }: ChoiceProps) => (
  <label class="inline" for={id}>
    {label}
    <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">All</option>
      {optionsOf(options)}
    </select>
  </label>
);

const Entries = ({ entries }: { readonly entries: AuditAnswer["entries"] }) =>
  entries.length === 0 ? (
    <p>No entries.</p>
  ) : (
    <Scroll label="Table of the audit log" csv="audit">
      <table class="grid">
        <thead>
          <tr>
            {["When", "Who", "By", "Action", "What"].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody id="audit-rows">
          {entries.map(({ id, at, actor, action: done, target, network }) => (
            <tr key={id}>
              <th scope="row">{localTime(at)}</th>
              <td>
                <SaidWhole text={actor.email ?? actor.id ?? "–"} />
              </td>
              <td>
                {network === undefined ? ways[actor.kind] : `${ways[actor.kind]}, ${network}`}
              </td>
              <td class="wordy">{wordsOf(done)}</td>
              <td>
                <SaidWhole text={target.name ?? target.id} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );

/** `member_changed` → `Member changed`. */
const wordsOf = (action: string): string =>
  `${action.slice(0, 1).toUpperCase()}${action.slice(1).replaceAll("_", " ")}`.replace(
    "Oidc",
    "Single sign-on",
  );
