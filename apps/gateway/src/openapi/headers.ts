import { exampleId, type JsonSchema } from '@gangan/contracts';

const header = (description: string, schema: JsonSchema) => ({ description, schema });

const integer = (example: number): JsonSchema => ({ type: 'integer', minimum: 0, examples: [example] });

/** The value of `X-Unknown-Template`. */
export const unknownTemplate = 'accepted in test mode only; a live organisation gets 400';

export const headers = {
  'X-Request-Id': header(
    'The id of this request: the one you sent, or a new one. Every log line of the request has it',
    { type: 'string', examples: [exampleId] },
  ),
  'X-Ignored-Fields': header(
    'Present if the request had fields or query parameters that this route does not know: at most 10 of their names, percent-encoded',
    { type: 'string', examples: ['campaign, personalisation.0.note'] },
  ),
  'RateLimit-Limit': header('The capacity of the bucket, in requests', integer(200)),
  'RateLimit-Remaining': header('The requests that are left now', integer(199)),
  'RateLimit-Reset': header(
    'Seconds until the bucket is full again, if no further request is sent',
    integer(1),
  ),
  Location: header('The URL to continue with', {
    type: 'string',
    examples: ['https://example.com/orders/17'],
  }),
  'Retry-After': header('Seconds to wait before a retry', integer(1)),
  'X-Lookup-Source': header(
    'The source of each field: a `live` provider, the `cache` of its results, a `registry`, the numbering `plan`, or `none`. `live=unavailable` if a provider was asked and did not respond',
    { type: 'string', examples: ['operator=live, country=plan, ported=live, dnd=registry'] },
  ),
  Link: header('Leads to the explanation of each type of error: a page for people', {
    type: 'string',
    examples: ['</docs/guides/errors#missing>; rel="help"'],
  }),
  'X-Unknown-Template': header(
    'Present if a test organisation has used a `template_id` that does not match a template: the text is the id',
    { type: 'string', examples: [unknownTemplate] },
  ),
  'Idempotent-Replayed': header(
    'Present if this is the stored response of an earlier request with the same Idempotency-Key',
    { type: 'string', enum: ['true'], examples: ['true'] },
  ),
};

export type HeaderName = keyof typeof headers;

export const rateLimitHeaders: readonly HeaderName[] = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

export const headerReferences = (names: readonly HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
