import type { DocumentedApi, Operation } from '../interface/documented-api.js';
import { type Input, inputsOf, valueAt, withInput } from '../interface/inputs.js';
import type { RequestParts } from '../interface/request-parts.js';

/** Headers that the gateway reads in every request, whether documented or not. */
export const commonHeaders = [
  'authorization',
  'content-type',
  'x-request-id',
  'accept-encoding',
  'x-forwarded-for',
].map((name): Input => ({ in: 'header', steps: [name], schema: {} }));

/** Everything that arrives as text: strings of the body, and all of path, query and headers. */
export const textInputsOf = (operation: Operation, api: DocumentedApi): Input[] =>
  inputsOf(operation, api).filter(
    ({ in: source, schema: { type = 'string' } }) => source !== 'body' || type === 'string',
  );

/** The valid value of an input, for a text that begins with it. */
export function validStart(parts: RequestParts, input: Input): string {
  const { examples = [], enum: values = [] } = input.schema;
  const known = isContentType(input) ? parts.contentType : valueAt(parts, input);
  const [start = '1'] = [known, examples[0], values[0]].filter((value) => typeof value === 'string');
  return start;
}

export function withText(parts: RequestParts, input: Input, text: string): RequestParts {
  // A header contains bytes.
  const value = input.in === 'header' ? Buffer.from(text).toString('latin1') : text;
  return isContentType(input) ? { ...parts, contentType: value } : withInput(parts, input, value);
}

const isContentType = ({ in: source, steps: [name] }: Input): boolean =>
  source === 'header' && name === 'content-type';
