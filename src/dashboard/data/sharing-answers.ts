/** The API's answers about views and shares, as far as they are shown. */
export interface View {
  readonly id: string;
  readonly name: string;
  readonly address: string;
}
export interface ViewsAnswer {
  readonly views: readonly View[];
}
export interface Share {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly filters: readonly unknown[];
  readonly has_password: boolean;
  readonly pages: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
}
export interface SharesAnswer {
  readonly shares: readonly Share[];
}
