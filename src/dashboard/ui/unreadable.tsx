import { Fragment } from "preact";
import { Said } from "./said";

/** Says which parts of the address mean nothing here, so that nobody takes the numbers for an answer to them. */
export const Unreadable = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.length === 0 ? null : (
    <p class="unreadable" role="status">
      These parts of the address were ignored because they are not valid:{" "}
      {texts.map((text, i) => (
        <Fragment key={i}>
          {i > 0 && ", "}
          <Said text={text} />
        </Fragment>
      ))}
      .
    </p>
  );
