/** Whom a lookup asks for (definitions.md, Identity), and where people of the project may be found. */
export interface Person {
  /** As sent. */
  readonly userId: string | null;
  /** Of the address that was sent: one for each scope in which the project looks. */
  readonly emailDigests: readonly string[];
  /** Of the project's portfolio, itself among them. Empty when it is in none. */
  readonly members: readonly PortfolioMember[];
}

interface PortfolioMember {
  readonly projectId: string;
  readonly project: string;
  /** What the store keeps of people under the project's place in the portfolio. */
  readonly membership: string;
}
