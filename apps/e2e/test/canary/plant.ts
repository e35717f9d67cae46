import type { DescribedInterface, Operation } from '../interface/described.js';
import { exampleOf } from '../interface/example.js';
import { type Input, inputsOf, withInput } from '../interface/inputs.js';
import type { RequestParts } from '../interface/request-parts.js';
import type { Canaries } from './canaries.js';

/** The example of an operation, with a canary wherever it takes free text, and one in a field that it does not know. */
export function planted(
  operation: Operation,
  api: DescribedInterface,
  key: string,
  canaries: Canaries,
): RequestParts {
  const inBody = operation.body !== undefined;
  const example = exampleOf(operation, api, key);
  const sown = inputsOf(operation, api)
    // What may stand in the body or in the query is given once.
    .filter(({ in: place }) => !(inBody && place === 'query'))
    .filter((input) => isGiven(example, input) && !isColumnName(input))
    .reduce((parts, input) => {
      const canary = canaries.for(input);
      return canary === undefined ? parts : withInput(parts, input, canary);
    }, example);
  const unknown = { in: 'body', steps: ['unknown'], schema: {} } as const;
  return inBody ? withInput({ ...sown, query: [] }, unknown, canaries.secret()) : sown;
}

/** What the example leaves out would be refused beside the rest of it; only URLs are left out for another reason. */
const isGiven = ({ body }: RequestParts, { in: place, steps: [name = ''], schema }: Input): boolean =>
  place !== 'body' || schema.format === 'uri' || Object.hasOwn(body ?? {}, name);

/** A filter, or a file, names a column that is there. */
const isColumnName = ({ steps }: Input): boolean => ['filters.0.name', 'upsert'].includes(steps.join('.'));

/** The same with one input after the other of a wrong kind: each is to be refused. */
export function wronglyPlanted(
  operation: Operation,
  api: DescribedInterface,
  key: string,
  canaries: Canaries,
): RequestParts[] {
  return inputsOf(operation, api)
    .filter(({ in: place }) => place === 'body' || place === 'query')
    .map((input) => {
      const wrong = canaries.secret();
      const right = planted(operation, api, key, canaries);
      return withInput(right, input, input.in === 'body' ? [wrong, { a: wrong }] : wrong);
    });
}
