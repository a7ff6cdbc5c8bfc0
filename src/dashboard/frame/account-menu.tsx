import { call, demoToken } from "../data/api";
import { isAdmin, who } from "../state/account";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";
import { toggleTheme } from "./theme";

/** Who is logged in, and what belongs to them and not to a project. */
export const AccountMenu = () => (
  <div class="side-foot">
    <Menu
      id="account-menu"
      class="account-menu"
      title="Account"
      label={
        <>
          <Icon name="account" />
          <bdi class="cut">{who.value}</bdi>
        </>
      }
    >
      {() => (
        <ul class="choices">
          {demoToken.value === "" && (
            <>
              <Place path="/app/settings" text="Account settings" />
              {isAdmin.value && <Place path="/app/admin" text="Administration" />}
            </>
          )}
          <Place path="/docs" text="API documentation" />
          <li>
            <button type="button" onClick={toggleTheme}>
              Light or dark <kbd>N</kbd>
            </button>
          </li>
          {demoToken.value === "" && (
            <li class="rule">
              <button type="button" id="logout" onClick={() => void logOut()}>
                Log out
              </button>
            </li>
          )}
        </ul>
      )}
    </Menu>
  </div>
);

const Place = ({ path, text }: { readonly path: string; readonly text: string }) => (
  <li>
    <a href={path}>{text}</a>
  </li>
);

async function logOut(): Promise<void> {
  await call({ method: "POST", path: "/auth/logout" });
  location.replace("/login");
}
