/** What the bench asks of the process with the consumers. */
export type ConsumersTask =
  | { readonly do: 'open'; readonly kind: 'healthy' | 'hanging'; readonly count: number }
  /** How long the callbacks of healthy consumers took that came since the last time, from their event to their arrival. */
  | { readonly do: 'tell' };

export type ConsumersResult =
  | { readonly done: 'opened'; readonly urls: readonly string[] }
  | { readonly done: 'told'; readonly milliseconds: readonly number[] };
