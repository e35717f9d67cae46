import {
  type AppName,
  defineEvent,
  defineRequest,
  type Dto,
  type ReplyShape,
  type RequestContract,
} from '@gangan/protocol';

interface Senders {
  /** The apps that send the contract; only they have a key for it. */
  readonly senders: readonly AppName[];
}

type RequestOptions<Q extends object> = Partial<
  Pick<RequestContract<Q>, 'deadlineMs' | 'batch' | 'perOrganisation' | 'lowPriority' | 'weigh'> & Senders
>;

const defaultDeadlineMs = 10_000;

/** For requests that read or change one row. */
export const shortDeadline = { deadlineMs: 5_000 };

/** For slow requests, each of which is a job of its own. */
export const slow = { deadlineMs: 15_000, batch: false };

/**
 * Declares the contracts of one queue. The gateway validates the input of callers, so only those classes have rules; what
 * apps send to each other is not validated again. Requests are sent by the gateway, unless they name their senders.
 */
export const queueContracts = (queue: string, servedBy: AppName) => ({
  request: <Q extends object, const S extends ReplyShape>(
    name: string,
    request: Dto<Q>,
    reply: S,
    options: RequestOptions<Q> = {},
  ) => defineRequest({ queue, servedBy, name, deadlineMs: defaultDeadlineMs, request, reply, ...options }),

  event: <Q extends object>(name: string, event: Dto<Q>, options: Senders & { attempts?: number }) =>
    defineEvent({ queue, servedBy, name, event, ...options }),
});
