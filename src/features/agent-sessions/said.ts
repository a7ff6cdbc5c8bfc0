import { escapeHtml } from "../../lib/escape-html";
import { visibleText } from "../../lib/visible-text";

/**
 * Markup of a text by somebody else, such as the name of a program. It stands in an element of its own, as text, so
 * that it can neither add markup nor turn the reading direction of ours; hidden characters are shown.
 */
export const said = (text: string): string => `<bdi>${escapeHtml(visibleText(text))}</bdi>`;
