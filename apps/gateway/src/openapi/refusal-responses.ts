import type { Schemas } from '@gangan/contracts';
import { errorAnswer } from '../http/error-answer.js';
import { ErrorAnswer } from './error.dto.js';
import { exampleId } from './example-id.js';
import { headerReferences } from './headers.js';
import { type ErrorResponse, refusals, type RefusalStatus } from './error-responses.js';

/** References for what one operation may refuse with. */
export const refusalReferences = (statuses: readonly RefusalStatus[]): Record<string, { $ref: string }> =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${refusalOf(status).name}` }]),
  );

/** What is referred to, for the statuses that some operation has. */
export const refusalResponses = (used: ReadonlySet<string>, schemas: Schemas): Record<string, object> =>
  Object.fromEntries(
    Object.entries(refusals)
      .filter(([status]) => used.has(status))
      .map(([, refusal]) => [refusal.name, responseOf(refusal, schemas)]),
  );

const responseOf = ({ description, examples, headers = [] }: ErrorResponse, schemas: Schemas): object => ({
  description,
  headers: headerReferences(['X-Request-Id', ...headers]),
  content: {
    'application/json': {
      schema: schemas.of(ErrorAnswer),
      examples: Object.fromEntries(
        examples.map((error) => [error.code, { value: errorAnswer(error, exampleId).body }]),
      ),
    },
  },
});

function refusalOf(status: RefusalStatus): ErrorResponse {
  const refusal = refusals[status];
  if (refusal) return refusal;
  throw new Error(`There is no description of the status ${status}: add it to openapi/refusals.ts`);
}
