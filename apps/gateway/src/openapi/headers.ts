import type { JsonSchema } from '@gangan/contracts';

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
    schema: { type: 'string', examples: ['019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42'] },
  },
  'RateLimit-Limit': {
    description: 'How many requests may come at once before some are refused',
    schema: whole(200),
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left now',
    schema: whole(199),
  },
  'RateLimit-Reset': {
    description: 'Seconds until all of them are there again',
    schema: whole(1),
  },
  'Retry-After': {
    description: 'Seconds after which to try again',
    schema: whole(1),
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
