import { account } from "../../state/account";
import { place } from "../../state/route";
import { Journey } from "./journey";
import { PeopleList } from "./list";
import { PrivacyRequests } from "./privacy";
import { Search } from "./search";

/** The page of all people or, with an id in the address, of one person's profiles and events. */
export const PeoplePage = () => {
  const { id } = place.value;
  const role = account.value?.role;
  const isAdmin = role === "admin" || role === "owner";
  return (
    <div class="stack">
      <Search />
      {id === "" ? <PeopleList /> : <Journey key={id} person={id} />}
      {id !== "" && isAdmin && <PrivacyRequests key={`of ${id}`} person={id} />}
    </div>
  );
};
