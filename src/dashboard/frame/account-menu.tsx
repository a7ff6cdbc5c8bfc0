import type { Billing } from "../data/account-answers";
import { isGuest, logOut } from "../data/api";
import { useRead } from "../data/reads";
import { addressAt, leaveFor } from "../lib/server-path";
import { account, isAdmin } from "../state/account";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";
import { Said } from "../ui/said";
import { toggleTheme } from "./theme";

/** The menu with the account, and what belongs to it and not to a project. */
export const AccountMenu = () => (
  <div class="side-foot">
    <Menu
      id="account-menu"
      class="account-menu"
      title="Account"
      label={
        <>
          <Icon name="account" />
          <Said class="cut" text={account.value?.email ?? "Demo"} />
        </>
      }
    >
      {(close) => (
        <ul class="choices">
          {!isGuest.value && (
            <>
              <Place path="/app/settings" text="Account" close={close} />
              {account.value?.role === "owner" && <PlanPlace close={close} />}
              <OtherAccounts />
              {isAdmin.value && (
                <>
                  <Place id="admin-link" path="/app/admin" text="Administration" close={close} />
                  <Place path="/app/admin/backups" text="Backups" close={close} />
                  <Place path="/app/admin/disk" text="Disk" close={close} />
                </>
              )}
            </>
          )}
          {isGuest.value && <Place path="/login" text="Leave the demo" close={close} />}
          <Place path="/docs" text="Documentation" close={close} />
          <Place path="/docs/api" text="API reference" close={close} />
          <li>
            <button type="button" onClick={toggleTheme}>
              Switch between light and dark <kbd>N</kbd>
            </button>
          </li>
          {!isGuest.value && (
            <li class="rule">
              <button type="button" id="logout" onClick={() => void leave()}>
                Log out
              </button>
            </li>
          )}
        </ul>
      )}
    </Menu>
  </div>
);

/** The other accounts of the person: each leads to its own projects. */
function OtherAccounts() {
  const { id: acting, memberships = [] } = account.value ?? {};
  return (
    <>
      {memberships
        .filter(({ id }) => id !== acting)
        .map(({ id, name, role }) => (
          <li key={id}>
            <button type="button" onClick={() => location.assign(addressAt(`/app?account=${id}`))}>
              Switch to <Said text={name} /> ({role})
            </button>
          </li>
        ))}
    </>
  );
}

interface PlaceProps {
  readonly id?: string;
  readonly path: string;
  readonly text: string;
  readonly close: () => void;
}

const Place = ({ id, path, text, close }: PlaceProps) => (
  <li id={id}>
    <a href={path} onClick={close}>
      {text}
    </a>
  </li>
);

/** Shows the plan, unless nobody can pay on this server. */
function PlanPlace({ close }: { readonly close: () => void }) {
  const request = { method: "GET", path: "/billing" } as const;
  const { data } = useRead<Billing>("The plan of the account", request);
  return data?.billing === true ? (
    <Place path="/account/billing" text="Plan and billing" close={close} />
  ) : null;
}

async function leave(): Promise<void> {
  await logOut();
  leaveFor("/login");
}
