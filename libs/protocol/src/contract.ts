/** A class whose instances are what travels. Its decorators validate it; its type is what both ends infer. */
export type Dto<T extends object> = new () => T;

/** What a reply is made of: one object, or a list of them (`[OtpRecord]`). */
export type ReplyShape = Dto<object> | readonly [Dto<object>];

export interface RequestContract<Q extends object = object, S extends ReplyShape = ReplyShape> {
  readonly kind: 'request';
  readonly queue: string;
  readonly name: string;
  /** How long the caller waits. A worker drops what has not been started by then. */
  readonly deadlineMs: number;
  /** `false` for slow kinds: each travels alone, in a lane of its own, and holds nobody up. */
  readonly batch: boolean;
  /**
   * How many of one organisation a process may have under way at a time; its further ones wait where they were asked,
   * and take up no worker. For what travels alone, and can take long.
   */
  readonly perOrganisation?: number;
  readonly request: Dto<Q>;
  readonly reply: S;
  /** How much of a batch's room one request takes; 1 unless the contract knows better. */
  weigh(data: Q): number;
}

export interface EventContract<Q extends object = object> {
  readonly kind: 'event';
  readonly queue: string;
  readonly name: string;
  /** How often a failing handler is tried in all, and the first of its exponential pauses. */
  readonly attempts: number;
  readonly backoffMs: number;
  readonly event: Dto<Q>;
}

export type Contract = RequestContract | EventContract;

/** What a caller passes and a handler receives. */
export type DataOf<C> = C extends RequestContract<infer Q> ? Q : C extends EventContract<infer Q> ? Q : never;

/** What a request's handler returns and its caller is given. */
export type ReplyOf<C> =
  C extends RequestContract<object, infer S>
    ? S extends readonly [Dto<infer R>]
      ? R[]
      : S extends Dto<infer R>
        ? R
        : never
    : never;

type RequestFacts<Q extends object, S extends ReplyShape> = Pick<
  RequestContract<Q, S>,
  'queue' | 'name' | 'deadlineMs' | 'request' | 'reply'
> &
  Partial<Pick<RequestContract<Q, S>, 'batch' | 'weigh' | 'perOrganisation'>>;

type EventFacts<Q extends object> = Pick<EventContract<Q>, 'queue' | 'name' | 'event'> &
  Partial<Pick<EventContract<Q>, 'attempts' | 'backoffMs'>>;

/** Declares a request: somebody waits for its answer. */
export function defineRequest<Q extends object, const S extends ReplyShape>(
  facts: RequestFacts<Q, S>,
): RequestContract<Q, S> {
  return Object.freeze({ kind: 'request', batch: true, weigh: () => 1, ...facts } as const);
}

/** Declares an event: nobody waits, and a failing handler is tried again. */
export function defineEvent<Q extends object>(facts: EventFacts<Q>): EventContract<Q> {
  return Object.freeze({ kind: 'event', attempts: 8, backoffMs: 500, ...facts } as const);
}
