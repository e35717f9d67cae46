import {
  defineEvent,
  defineRequest,
  type Dto,
  type EventContract,
  type ReplyShape,
  type RequestContract,
} from '@gangan/protocol';

type RequestOptions<Q extends object> = Pick<RequestContract<Q>, 'deadlineMs'> &
  Partial<Pick<RequestContract<Q>, 'batch' | 'perOrganisation' | 'weigh'>>;

/** Declares the contracts of one queue, each by its name and the classes of its data and reply. */
export const queueContracts = (queue: string) => ({
  request: <Q extends object, const S extends ReplyShape>(
    name: string,
    request: Dto<Q>,
    reply: S,
    options: RequestOptions<Q>,
  ) => defineRequest({ queue, name, request, reply, ...options }),

  event: <Q extends object>(
    name: string,
    event: Dto<Q>,
    options: { attempts?: EventContract['attempts'] } = {},
  ) => defineEvent({ queue, name, event, ...options }),
});
