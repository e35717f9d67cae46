import type { DocumentedApi, Operation } from '../interface/documented-api.js';
import { examplesOf, type KnownIds } from '../interface/example.js';
import { gives, type Input, inputsOf, nameOf, valueAt, withInput } from '../interface/inputs.js';
import type { RequestParts } from '../interface/request-parts.js';
import type { Canaries } from './canaries.js';

/** What is planted, and where. */
export interface Sowing {
  readonly api: DocumentedApi;
  readonly key: string;
  readonly canaries: Canaries;
  readonly ids: KnownIds;
  /** The ids of the columns for name and phone number. */
  readonly columns: { readonly name: string; readonly phone: string };
}

/** The examples of an operation with a canary in every free text and in an unknown field. */
export function planted(operation: Operation, sowing: Sowing): RequestParts[] {
  const examples = examplesOf(operation, sowing.api, sowing.key, sowing.ids);
  return examples.map((example) => {
    const inputs = plantable(operation, sowing.api).filter(
      // URLs are in no example, so they are added to each.
      (input) => gives(example, input) || !examples.some((other) => gives(other, input)),
    );
    const sown = inputs.reduce((parts, input) => sow(parts, input, sowing), example);
    if (operation.file !== undefined) return withCanaryInFile(sown, operation.file, sowing);
    return operation.body ? withInput(sown, unknown, sowing.canaries.secret()) : sown;
  });
}

/** The same requests with one input after the other of a wrong type: each must be rejected. */
export function wronglyPlanted(operation: Operation, sowing: Sowing): RequestParts[] {
  return inputsOf(operation, sowing.api)
    .filter(({ in: place, steps }) => {
      const name = steps.join('.');
      return place === 'body' ? !unread.has(name) : place === 'query' && !anyText.has(name);
    })
    .flatMap((input) => {
      const wrong = sowing.canaries.secret();
      const right = planted(operation, sowing);
      const example = right.find((parts) => gives(parts, input)) ?? right[0];
      return example ? [withInput(example, input, input.in === 'body' ? [wrong, { a: wrong }] : wrong)] : [];
    });
}

/** Text inputs that have no canary in any planted request. */
export function spared(operation: Operation, sowing: Sowing): string[] {
  const requests = planted(operation, sowing);
  const holds = (input: Input): boolean =>
    requests.some((parts) => sowing.canaries.in(Buffer.from(String(valueAt(parts, input)))).length > 0);
  const texts = inputsOf(operation, sowing.api).filter(
    ({ schema }) => schema.type === 'string' && !schema.enum,
  );
  const held = new Set(texts.filter(holds).map(nameOf));
  return texts.map(nameOf).filter((name) => !held.has(name));
}

/** Inputs that refer to an existing record or to a part of another field, and the number that receives a message. */
const bound: ReadonlySet<string> = new Set([
  ...['filters.0.name', 'sort.name', 'upsert', 'phone_column', 'variables.0', 'reply_to', 'to'],
]);

/** The example of a filter is no group. */
const inGroup = /^filters\.0\.(any|all)\b/;

/** Inputs that are ignored if another is given, such as the length of a given token. */
const unread: ReadonlySet<string> = new Set(['length']);

/** Filters that take any text. */
const anyText: ReadonlySet<string> = new Set(['number', 'sender', 'external_ref']);

/** A field that may be in the body or in the query is given once. */
const plantable = (operation: Operation, api: DocumentedApi): Input[] =>
  inputsOf(operation, api).filter(
    ({ in: place, steps }) =>
      !(operation.body && place === 'query') && !bound.has(steps.join('.')) && !inGroup.test(steps.join('.')),
  );

const unknown: Input = { in: 'body', steps: ['unknown'], schema: {} };

function sow(parts: RequestParts, input: Input, { canaries, columns }: Sowing): RequestParts {
  if (input.in === 'body' && nameOf(input) === 'columns') return withCells(parts, canaries, columns);
  // Must be one of the recipients, which are planted first.
  if (input.schema.format === 'recipient')
    return withInput(parts, input, valueAt(parts, { ...input, steps: ['recipients'] }));
  const canary = canaries.for(input);
  if (canary === undefined) return parts;
  const known = valueAt(parts, input);
  // The text keeps its placeholders and links.
  const isSentence = typeof known === 'string' && /\w \w/.test(known) && input.schema.format === undefined;
  return withInput(parts, input, isSentence ? `${known} ${canary}` : canary);
}

/** The number of a contact on the known smartlist. */
function withCells(parts: RequestParts, canaries: Canaries, columns: Sowing['columns']): RequestParts {
  const cell = (column: string): Input => ({ in: 'body', steps: ['columns', column], schema: {} });
  const isByName = valueAt(parts, { in: 'query', steps: ['by'], schema: {} }) === 'name';
  const named = withInput(parts, cell(isByName ? 'Name' : columns.name), `Ada ${canaries.text()}`);
  return withInput(named, cell(isByName ? 'Mobile' : columns.phone), canaries.text('phone'));
}

const withCanaryInFile = (parts: RequestParts, file: string, { canaries }: Sowing): RequestParts => ({
  ...parts,
  body: Buffer.from(file.replace(/(?<=\n)[^,]+/, `Ada ${canaries.text()}`)),
});
