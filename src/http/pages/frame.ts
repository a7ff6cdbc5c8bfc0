import { pageDocument } from "./html";

interface FramedPage {
  /** By which the pages' script knows what to do. */
  readonly name: string;
  readonly title: string;
  /** What stands above the content, when that is not the title. */
  readonly heading?: string;
  /** Where it is, so that the navigation can say which page this is. */
  readonly path: string;
  /** Markup of what comes below the navigation, as `pageDocument` has it. */
  readonly main: string;
}

/** In the order in which they are shown. Who is no administrator does not see the last. */
const places: readonly (readonly [path: string, name: string, id?: string])[] = [
  ["/app", "Start"],
  ["/app/live", "Live"],
  ["/app/settings", "Settings"],
  ["/account/billing", "Plan"],
  ["/docs", "API"],
  ["/app/admin", "Administration", "admin-link"],
];

/** A page for who is logged in: the navigation, a way out, and one question at a time. */
export const framedPage = ({ name, title, heading = title, path, main }: FramedPage): string =>
  pageDocument({
    name,
    title,
    body: `<a class="skip" href="#main">Skip to the content</a>
<header class="frame">
<strong>Sightline</strong>
<nav aria-label="Pages"><ul>
${places.map(([at, text, id]) => linkTo(at, text, path, id)).join("\n")}
</ul></nav>
<span><bdi id="who"></bdi> <button id="logout" type="button" class="quiet">Log out</button></span>
</header>
<main id="main" tabindex="-1">
<h1>${heading}</h1>
<noscript><p class="alert">This page needs JavaScript.</p></noscript>
<p id="alert" class="alert" role="alert" hidden></p>
<p id="done" class="done" role="status" hidden></p>
${main}
</main>
<dialog id="question" aria-labelledby="question-text"><form method="dialog">
<p id="question-text"></p>
<button id="question-yes" value="yes"></button> <button value="no" class="quiet" autofocus>Cancel</button>
</form></dialog>`,
  });

function linkTo(path: string, text: string, current: string, id?: string): string {
  const isHidden = id === undefined ? "" : ` id="${id}" hidden`;
  const mark = path === current ? ' aria-current="page"' : "";
  return `<li${isHidden}><a href="${path}"${mark}>${text}</a></li>`;
}
