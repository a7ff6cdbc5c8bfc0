/** The API's answers about moving in and out, as far as they are shown. */
export interface Source {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
  readonly url: string;
  readonly last24h: {
    readonly accepted: number;
    readonly filtered: number;
    readonly unsupported: number;
    readonly refused: Readonly<Record<string, number>>;
  };
  readonly last_event_at: number | null;
  readonly last_refusal: { readonly code: string; readonly field?: string } | null;
}
export interface SourcesAnswer {
  readonly sources: readonly Source[];
}
