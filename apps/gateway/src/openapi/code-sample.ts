import { inspect } from 'node:util';
import type { JsonSchema } from '@gangan/contracts';
import { methodsOfOneField, sdkMethods } from './sdk-methods.js';

/** The parts of an operation that a sample shows. */
export interface SampledOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Example | undefined>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Example>> }>>;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly example?: unknown;
}

interface Example {
  readonly schema: JsonSchema;
  readonly example?: string;
  readonly examples?: Readonly<Record<string, { readonly value: object }>>;
}

/** The call of the SDK for an operation, if it has one. The reference makes samples of other languages itself. */
export function sdkSample(
  baseUrl: string,
  method: string,
  { operationId, parameters = [], requestBody, responses }: SampledOperation,
  schemas: Readonly<Record<string, JsonSchema>>,
): string | undefined {
  const call = sdkMethods[operationId];
  if (call === undefined) return undefined;
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ example }) => example);
  const [body] = Object.values(requestBody?.content ?? {});
  const input = body && (method === 'get' ? requiredOf(body, schemas) : contentOf(body, schemas));
  const inputs: unknown[] = methodsOfOneField.has(call) ? Object.values(input ?? {}) : [input];
  const args = [...inPath, ...inputs].filter((each) => each !== undefined).map(sourceOf);
  const isJson = 'application/json' in (responses['200']?.content ?? {});
  return [
    `import { Gangan } from '@gangan/sdk';`,
    '',
    `const gangan = new Gangan({ baseUrl: '${baseUrl}', apiKey: 'YOUR_API_KEY' });`,
    `const ${isJson ? 'result' : 'file'} = await gangan.${call}(${args.join(', ')});`,
    `console.log(${isJson ? 'result' : 'await file.text()'});`,
  ].join('\n');
}

const resolve = ({ schema }: Example, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;

/** The example of a file, the first one of a whole body, or those of its fields. */
function contentOf(body: Example, schemas: Readonly<Record<string, JsonSchema>>): unknown {
  const [first] = Object.values(body.examples ?? {});
  return body.example ?? first?.value ?? fieldsOf(resolve(body, schemas));
}

const fieldsOf = ({ properties = {} }: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { examples }]) =>
      examples ? [[name, examples[0]] as const] : [],
    ),
  );

function requiredOf(body: Example, schemas: Readonly<Record<string, JsonSchema>>): Record<string, unknown> {
  const { required = [], ...schema } = resolve(body, schemas);
  return Object.fromEntries(Object.entries(fieldsOf(schema)).filter(([name]) => required.includes(name)));
}

const sourceOf = (value: unknown): string =>
  inspect(value, { depth: null, breakLength: 80, maxStringLength: null });
