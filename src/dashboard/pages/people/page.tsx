import { place } from "../../state/route";
import { Journey } from "./journey";
import { PeopleList } from "./list";
import { Search } from "./search";

/** The page of all people or, with an id in the address, of one person's profiles and events. */
export const PeoplePage = () => {
  const { id } = place.value;
  return (
    <div class="stack">
      <Search />
      {id === "" ? <PeopleList /> : <Journey key={id} person={id} />}
    </div>
  );
};
