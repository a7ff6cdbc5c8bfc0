import { account, lacksFactor } from "../../state/account";
import { may } from "../../state/rights";
import { ApiKey } from "./api-key";
import { Audit } from "./audit";
import { Agents, Browsers } from "./connections";
import { Deletion } from "./deletion";
import { Facts } from "./facts";
import { Password } from "./password";
import { Security } from "./security";
import { Team } from "./team";
import { Webhooks } from "./webhooks";

/** The settings of the person who is logged in: key, programs and browsers, password, the account's end. */
export function AccountPage() {
  const own = account.value;
  if (own === null) return null;
  if (lacksFactor.value) return <Security account={own} />;
  return (
    <>
      <div class="halves" id="settings">
        <div class="stack">
          <Facts account={own} />
          <ApiKey />
          <Password account={own} />
          <Security account={own} />
        </div>
        <div class="stack">
          <Team account={own} />
          {may("administer") && <Webhooks />}
          <Browsers />
          <Agents />
          {own.role === "owner" && <Deletion account={own} />}
        </div>
      </div>
      {may("administer") && <Audit />}
    </>
  );
}
