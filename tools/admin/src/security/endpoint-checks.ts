import type { Prisma } from '@gangan/database';
import { refusalOf } from '../callbacks/restrict-command.js';
import { labelOf, withAccount } from '@gangan/management';
import type { Check, ReviewContext } from './finding.js';

const ofLive = { enabled: true, organisation: { mode: 'live' } } as const;

const findEndpoints = ({ database }: ReviewContext, where: Prisma.CallbackEndpointWhereInput) =>
  database.callbackEndpoint.findMany({
    where: { ...ofLive, ...where },
    include: withAccount,
    orderBy: { id: 'asc' },
  });

export const refusedUrls: Check = async (context) => {
  const endpoints = await findEndpoints(context, {});
  return endpoints.flatMap(({ id, url, organisation }) => {
    const error = refusalOf(url);
    if (error === undefined) return [];
    return {
      who: labelOf(organisation),
      what: `endpoint ${id} has the URL ${url}`,
      why: `The URL ${error}.`,
      mend: `the customer: PATCH /callback-endpoints/${id} with another url`,
    };
  });
};

export const unconfirmedMessages: Check = async (context) => {
  const endpoints = await findEndpoints(context, {
    events: { has: 'message.received' },
    messagesConfirmed: false,
  });
  return endpoints.map(({ id, url, organisation }) => ({
    who: labelOf(organisation),
    what: `endpoint ${id} (${url}) receives message.received`,
    why: 'No key with the scope sms:read has chosen that it gets the texts of messages.',
    mend: `the customer: PATCH /callback-endpoints/${id} with its events, by a key that has sms:read`,
  }));
};
