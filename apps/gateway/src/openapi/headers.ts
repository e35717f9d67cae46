import type { JsonSchema } from '@gangan/contracts';
import { exampleId } from './example-id.js';

interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

const whole = (example: number): JsonSchema => ({ type: 'integer', minimum: 0, examples: [example] });

/** The headers of answers. */
export const headers = {
  'X-Request-Id': {
    description:
      'The id of this request: your own if you sent one, else a new one. It is in every log line too',
    schema: { type: 'string', examples: [exampleId] },
  },
  'RateLimit-Limit': {
    description: 'How many requests the full bucket holds',
    schema: whole(200),
  },
  'RateLimit-Remaining': {
    description: 'How many are left now',
    schema: whole(199),
  },
  'RateLimit-Reset': {
    description: 'Seconds until it is full again, if nothing more is asked',
    schema: whole(1),
  },
  'Retry-After': {
    description: 'Seconds after which to try again',
    schema: whole(1),
  },
  'X-Lookup-Source': {
    description:
      'Where each field of the answer comes from: a `live` provider, the `cache` of its answers, a `registry`, the numbering `plan`, or `none`. `live=unavailable` when a provider should have answered and did not',
    schema: {
      type: 'string',
      examples: ['operator=live, country=plan, ported=live, dnd=registry'],
    },
  },
  'Idempotent-Replayed': {
    description: 'Present when this is the stored answer to an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'], examples: ['true'] },
  },
} satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

export const rateLimitHeaders: readonly HeaderName[] = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

export const headerReferences = (names: readonly HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
