import type { JsonSchema } from '@gangan/contracts';

/** The parts of an operation that a sample shows. */
export interface SampledOperation {
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Example | undefined>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Example>> }>>;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

interface Example {
  readonly schema: JsonSchema;
  readonly example?: string;
  readonly examples?: Readonly<Record<string, { readonly value: object }>>;
}

type Fields = readonly (readonly [name: string, value: unknown])[];

/** A request in TypeScript. The reference makes samples of other languages itself. */
export function typescriptSample(
  url: string,
  method: string,
  { security, parameters = [], requestBody, responses }: SampledOperation,
  schemas: Readonly<Record<string, JsonSchema>>,
): string {
  const [type = '', body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const fields = body ? fieldsOf(body, schemas) : [];
  const sendsBody = body !== undefined && method !== 'get';
  const headers = [
    ...(security.length > 0 ? [`    Authorization: 'YOUR_API_KEY',`] : []),
    ...(sendsBody ? [`    'Content-Type': '${type}',`] : []),
  ];
  const options = [
    ...(method === 'get' ? [] : [`  method: '${method.toUpperCase()}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(sendsBody ? [`  body: ${sourceOf(body, fields)},`] : []),
  ];
  const required: Fields = [
    ...parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name = '', example }) => [name, example] as const),
    ...(sendsBody ? [] : fields.filter(([name]) => requiredOf(body, schemas).includes(name))),
  ];
  const query = required.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  const exampleOf = (wanted: string): unknown => parameters.find(({ name }) => name === wanted)?.example;
  const target = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(exampleOf(name)));
  return [
    `const response = await fetch('${target}${query && `?${query}`}'${options.length > 0 ? ', {' : ');'}`,
    ...(options.length > 0 ? [...options, '});'] : []),
    'if (!response.ok) throw new Error(await response.text());',
    `console.log(await response.${'application/json' in (responses['200']?.content ?? {}) ? 'json' : 'text'}());`,
  ].join('\n');
}

const resolve = ({ schema }: Example, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;

const requiredOf = (body: Example | undefined, schemas: Readonly<Record<string, JsonSchema>>) =>
  (body && resolve(body, schemas).required) ?? [];

/** The first example of the whole body, or those of its fields. */
function fieldsOf(body: Example, schemas: Readonly<Record<string, JsonSchema>>): Fields {
  const [first] = Object.values(body.examples ?? {});
  if (first) return Object.entries(first.value);
  return Object.entries(resolve(body, schemas).properties ?? {}).flatMap(([name, { examples }]) =>
    examples ? [[name, examples[0]] as const] : [],
  );
}

const sourceOf = ({ example }: Example, fields: Fields): string =>
  example === undefined
    ? `JSON.stringify(${JSON.stringify(Object.fromEntries(fields), null, 2).replaceAll('\n', '\n  ')})`
    : JSON.stringify(example);
