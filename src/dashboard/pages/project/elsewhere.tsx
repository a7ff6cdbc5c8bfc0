import { Card } from "../../ui/card";

interface ElsewhereProps {
  readonly title: string;
  readonly text: string;
  readonly link: string;
  readonly name: string;
}

/** A setting that has a page of its own. */
export const Elsewhere = ({ title, text, link, name }: ElsewhereProps) => (
  <Card title={title}>
    <p class="fine">{text}</p>
    <p class="buttons">
      <a class="second" href={link}>
        {name}
      </a>
    </p>
  </Card>
);
