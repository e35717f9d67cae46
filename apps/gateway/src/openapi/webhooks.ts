import {
  callbackEvents,
  type CallbackType,
  callbackTypes,
  exampleTime,
  type Schemas,
} from '@gangan/contracts';
import type { Tag } from './decorators.js';

export const webhooksTag: Tag = {
  name: 'Events',
  description: 'What is sent to the `callback` URLs of requests and to endpoints, signed and with retries',
};

/** The `webhooks` of the document: what the callback worker sends, by type. */
export const describeWebhooks = (schemas: Schemas, guidesUrl: string): Record<string, object> =>
  Object.fromEntries(
    callbackTypes.map((type) => [
      type,
      { post: { ...describe(type, schemas), ...guideTo(type, guidesUrl) } },
    ]),
  );

function guideTo(type: CallbackType, guidesUrl: string): object {
  const [domain = ''] = type.split('.');
  const section = { message: 'messages', airtime: 'airtime' }[domain] ?? 'other-events';
  return { externalDocs: { url: `${guidesUrl}/callbacks#${section}`, description: 'Format and examples' } };
}

function describe(type: CallbackType, schemas: Schemas): object {
  const { data, summary, subscription } = callbackEvents[type];
  const subscriptions = {
    on: 'Endpoints receive it unless their `events` leave it out.',
    off: 'Endpoints receive it only if their `events` name it.',
    always: 'It cannot be chosen in `events`.',
  };
  return {
    operationId: type.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
    tags: [webhooksTag.name],
    summary,
    description: subscriptions[subscription],
    security: [],
    parameters: headers,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['type', 'timestamp', 'data'],
            properties: {
              type: { type: 'string', const: type, description: 'Type of the event', examples: [type] },
              timestamp: {
                type: 'string',
                format: 'date-time',
                description: 'Time of the event; the same in every attempt',
                examples: [exampleTime],
              },
              data: schemas.of(data),
            },
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'Delivered. Respond at once and process the callback afterwards' },
      410: { description: 'Not wanted: it is not retried' },
      default: { description: 'Retried, up to ten attempts' },
    },
  };
}

const header = (name: string, description: string, example: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** The headers of Standard Webhooks. */
const headers = [
  header(
    'webhook-id',
    'Id of the callback, the same in every attempt: use it to recognise duplicates',
    '019a86f0-5b1c-7c3e-9d62-3f0a7be1c402',
  ),
  header('webhook-timestamp', 'Time of this attempt in seconds since 1970', '1794735000'),
  header(
    'webhook-signature',
    'One signature per active secret, separated by spaces',
    'v1,J8mJ3mVq0b6hWZ6r0T3T3lqk4bGxL2m1Zk0s9sZp9vE=',
  ),
];
