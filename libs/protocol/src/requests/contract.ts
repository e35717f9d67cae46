/** The class of a request, event or reply. Its decorators validate the data; both ends infer their types from it. */
export type Dto<T extends object> = new () => T;

/** One object, or a list of objects (`[OtpRecord]`). */
export type ReplyShape = Dto<object> | readonly [Dto<object>];

interface Terms {
  readonly queue: string;
  readonly name: string;
  /** The apps that may send it. A worker refuses it from any other. */
  readonly senders: readonly string[];
  /** The app whose workers serve the queue. */
  readonly servedBy: string;
}

export interface RequestContract<Q extends object = object, S extends ReplyShape = ReplyShape> extends Terms {
  readonly kind: 'request';
  /** How long the caller waits. A worker drops a request that it has not started by then. */
  readonly deadlineMs: number;
  /** `false` for slow operations: each request is a job of its own, in a separate lane, and delays no batch. */
  readonly batch: boolean;
  /**
   * The maximum of one organisation's requests that a client process has in flight; further ones wait in the client
   * and occupy no worker. For operations with `batch: false`.
   */
  readonly perOrganisation?: number;
  /** Whether a request waits behind all others of its lane. For operations with `batch: false` that change nothing. */
  readonly lowPriority?: boolean;
  readonly request: Dto<Q>;
  readonly reply: S;
  /** How much of a batch's capacity a request uses; 1 by default. */
  weigh(data: Q): number;
}

export interface EventContract<Q extends object = object> extends Terms {
  readonly kind: 'event';
  /** The total number of attempts of a failing handler, and the first delay of its exponential backoff. */
  readonly attempts: number;
  readonly backoffMs: number;
  readonly event: Dto<Q>;
}

export type Contract = RequestContract | EventContract;

/** The data that a caller passes and a handler receives. */
export type DataOf<C> = C extends RequestContract<infer Q> ? Q : C extends EventContract<infer Q> ? Q : never;

/** The reply that a request's handler returns and its caller receives. */
export type ReplyOf<C> =
  C extends RequestContract<object, infer S>
    ? S extends readonly [Dto<infer R>]
      ? R[]
      : S extends Dto<infer R>
        ? R
        : never
    : never;

type RequestOptions<Q extends object, S extends ReplyShape> = Pick<
  RequestContract<Q, S>,
  'queue' | 'name' | 'deadlineMs' | 'request' | 'reply'
> &
  Partial<
    Pick<
      RequestContract<Q, S>,
      'batch' | 'weigh' | 'perOrganisation' | 'lowPriority' | 'senders' | 'servedBy'
    >
  >;

type EventOptions<Q extends object> = Pick<EventContract<Q>, 'queue' | 'name' | 'event'> &
  Partial<Pick<EventContract<Q>, 'attempts' | 'backoffMs' | 'senders' | 'servedBy'>>;

/** Most contracts are sent by the gateway, and served by the app that has the name of their queue. */
const partiesOf = ({ queue }: Pick<Terms, 'queue'>) => ({ senders: ['gateway'], servedBy: queue });

/** Declares a request: the caller waits for a reply. */
export function defineRequest<Q extends object, const S extends ReplyShape>(
  options: RequestOptions<Q, S>,
): RequestContract<Q, S> {
  return Object.freeze({
    kind: 'request',
    batch: true,
    weigh: () => 1,
    ...partiesOf(options),
    ...options,
  } as const);
}

/** Declares an event: no reply, and a failing handler is retried. */
export function defineEvent<Q extends object>(options: EventOptions<Q>): EventContract<Q> {
  return Object.freeze({
    kind: 'event',
    attempts: 8,
    backoffMs: 500,
    ...partiesOf(options),
    ...options,
  } as const);
}
