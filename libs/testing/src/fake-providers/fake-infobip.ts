import type { FakeScript } from './fake-provider.js';
import type { FakeMessage, FakeRefusal } from './fake-message.js';

interface InfobipMessage {
  readonly sender: string;
  readonly destinations: readonly { readonly to: string; readonly messageId: string }[];
  readonly content: { readonly text: string };
}

/**
 * Answers as https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages says: with a result per message,
 * whose code is the name of a status. With a status, the request is refused as a whole. It refuses an id that it has seen,
 * and a GET asks the logs about one.
 */
export function fakeInfobip(apiKey: string): FakeScript<FakeMessage, FakeRefusal> {
  const known = new Set<string>();
  return {
    path: '/sms/3/messages',
    credit: ({ path, headers }) =>
      path === '/account/1/balance' && headers.authorization === `App ${apiKey}`
        ? { status: 200, body: { balance: 47.79134, currency: 'EUR' } }
        : undefined,
    read: ({ body, headers, path = '' }) => {
      if (headers.authorization !== `App ${apiKey}`)
        return { status: 401, body: errorOf(401, 'Unauthorized') };
      const asked = /^\/sms\/3\/logs\?messageId=(.+)$/.exec(path)?.[1];
      if (asked !== undefined) {
        const result = { messageId: asked, status: { groupName: 'PENDING', name: 'PENDING_ENROUTE' } };
        return { status: 200, body: { results: known.has(asked) ? [result] : [] } };
      }
      return (JSON.parse(body) as { messages: InfobipMessage[] }).messages.flatMap((message) =>
        message.destinations.map(({ to, messageId }) => ({
          to,
          from: message.sender,
          text: message.content.text,
          reference: messageId,
        })),
      );
    },
    check: ({ to, reference = '' }) => {
      if (!/^\d{8,15}$/.test(to)) return { code: 'REJECTED_DESTINATION' };
      return known.has(reference) ? { code: 'REJECTED_DUPLICATE_MESSAGE_ID' } : undefined;
    },
    onSent: ({ reference = '' }) => known.add(reference),
    answer: (results) => {
      const refused = results.find(({ refusal }) => refusal?.status !== undefined)?.refusal;
      if (refused?.status !== undefined)
        return { status: refused.status, body: errorOf(refused.status, refused.code) };
      const messages = results.map(({ message: { to, reference }, refusal }) => ({
        messageId: reference,
        destination: to,
        status: statusOf(refusal?.code),
        details: { messageCount: 1 },
      }));
      return { status: 200, body: { bulkId: '2034072219640523072', messages } };
    },
  };
}

/** A report about a message: its price is that of one of its parts. */
export const infobipReport = (
  { to, from: sender, text, reference: messageId }: FakeMessage,
  pricePerMessage: number,
  status = 'DELIVERED_TO_HANDSET',
): object => ({
  bulkId: '2034072219640523072',
  messageId,
  to,
  sender,
  messageCount: text.length <= 160 ? 1 : Math.ceil(text.length / 153),
  price: { pricePerMessage, currency: 'EUR' },
  status: statusOf(status),
  error: { groupId: 0, groupName: 'OK', id: 0, name: 'NO_ERROR', description: 'No Error', permanent: false },
});

/** The group is the first part of most names; those of voice calls are undeliverable. */
function statusOf(name = 'PENDING_ACCEPTED'): object {
  const [group] = /^(PENDING|UNDELIVERABLE|DELIVERED|EXPIRED)(?!.*PLATFORM)/.exec(name) ?? ['REJECTED'];
  const isCall = ['NO_ANSWER', 'BUSY', 'CANCELLED'].includes(name);
  return { groupId: 1, groupName: isCall ? 'UNDELIVERABLE' : group, id: 1, name, description: name };
}

const errorOf = (status: number, description: string): object => ({
  errorCode: `E${status}`,
  description,
  action: 'Check the request.',
  violations: [],
  resources: [],
});
