/** `dead`: accepts connections on every address of this machine and never responds. */
export type ConsumerKind = 'healthy' | 'hanging' | 'dead';

/** A task for the process with the consumers. */
export type ConsumersTask =
  | { readonly do: 'open'; readonly kind: ConsumerKind; readonly count: number }
  /** Returns the latencies since the last call, from the event to the arrival at a healthy consumer. */
  | { readonly do: 'read latencies' };

export type ConsumersResult =
  | { readonly done: 'opened'; readonly urls: readonly string[] }
  | { readonly done: 'latencies'; readonly milliseconds: readonly number[] };
