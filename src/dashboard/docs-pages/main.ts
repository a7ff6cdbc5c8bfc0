import { addCopyButtons } from "./copying";
import { startSearch } from "./search";

/** The script of the documentation's pages, which can be read without it: search, copying, keys. */

addCopyButtons();
startSearch();

/** A block that scrolls can be scrolled with the keyboard too, in browsers that do not see to it themselves. */
for (const block of document.querySelectorAll<HTMLElement>("pre, .wide")) {
  if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
}
