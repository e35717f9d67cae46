import {
  defineEvent,
  defineRequest,
  type Dto,
  type ReplyShape,
  type RequestContract,
} from '@gangan/protocol';

type RequestOptions<Q extends object> = Partial<
  Pick<RequestContract<Q>, 'batch' | 'perOrganisation' | 'weigh'>
>;

/** Declares the contracts of one queue. */
export const queueContracts = (queue: string) => ({
  request: <Q extends object, const S extends ReplyShape>(
    name: string,
    deadlineMs: number,
    request: Dto<Q>,
    reply: S,
    options: RequestOptions<Q> = {},
  ) => defineRequest({ queue, name, deadlineMs, request, reply, ...options }),

  event: <Q extends object>(name: string, event: Dto<Q>, options: { attempts?: number } = {}) =>
    defineEvent({ queue, name, event, ...options }),
});
