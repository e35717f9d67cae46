import type { DescribedInterface, Operation } from './described.js';
import { bareParts, type RequestParts } from './request-parts.js';

/**
 * The request that the examples of the description make, but for URLs, which the system would call, and ids that may be
 * left out, as nothing is called so.
 */
export function exampleOf(operation: Operation, api: DescribedInterface, key: string): RequestParts {
  const { properties = {}, required = [] } = operation.body ? api.resolve(operation.body.schema) : {};
  const fields = Object.entries(properties).flatMap(([name, { examples, format }]) =>
    examples === undefined || format === 'uri' || (isId(examples[0]) && !required.includes(name))
      ? []
      : [[name, JSON.stringify(examples[0])]],
  );
  const query = operation.parameters.filter(
    (parameter) => parameter.in === 'query' && parameter.example !== undefined,
  );
  return {
    ...bareParts(operation, key),
    query: query.map(({ name, example }) => [name, String(example)]),
    ...(operation.body && { body: Object.fromEntries(fields) as Record<string, string> }),
  };
}

/** What the demo organisation is born with has ids of its own, and is there. */
const isId = (example: unknown): boolean =>
  typeof example === 'string' && /^(?!01900000-)[0-9a-f]{8}(-[0-9a-f]{4}){3}-/.test(example);
