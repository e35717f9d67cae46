import type { DocumentedApi, Operation, Parameter, Schema } from './documented-api.js';
import type { RequestParts } from './request-parts.js';

/** One value that an operation takes, at any depth. */
export interface Input {
  readonly in: Parameter['in'] | 'body';
  /** The path to the value; `0` stands for the items of a list. */
  readonly steps: readonly string[];
  readonly schema: Schema;
}

export const inputsOf = ({ parameters, body }: Operation, api: DocumentedApi): Input[] => [
  ...parameters.map(({ in: source, name, schema }) => ({
    in: source,
    steps: [name],
    schema: api.resolve<Schema>(schema),
  })),
  ...(body ? leavesOf(body.schema, [], api) : []),
];

export const nameOf = ({ steps }: Input): string => steps.findLast((step) => step !== '0') ?? '';

/** The same request with another value: as JSON in a body, otherwise as text. */
export function withInput(parts: RequestParts, { in: source, steps }: Input, value: unknown): RequestParts {
  const [name = '', ...inner] = steps;
  const others = (pairs: RequestParts['query']) => pairs.filter(([known]) => known !== name);
  switch (source) {
    case 'path':
      return { ...parts, params: { ...parts.params, [name]: String(value) } };
    case 'query':
      return { ...parts, query: [...others(parts.query), [name, String(value)]] };
    case 'header':
      return { ...parts, headers: [...others(parts.headers), [name, String(value)]] };
    case 'body': {
      const fields = Buffer.isBuffer(parts.body) ? {} : (parts.body ?? {});
      const known: unknown = JSON.parse(fields[name] ?? 'null');
      return { ...parts, body: { ...fields, [name]: JSON.stringify(withInner(known, inner, value)) } };
    }
  }
}

/** Whether the body of a request has the field of an input. */
export const gives = ({ body }: RequestParts, { in: source, steps: [name = ''] }: Input): boolean =>
  source !== 'body' || Object.hasOwn(body ?? {}, name);

/** The value of an input in a request. */
export function valueAt(parts: RequestParts, { in: source, steps: [name = '', ...inner] }: Input): unknown {
  const { body, params, query, headers } = parts;
  if (source === 'path') return params[name];
  if (source !== 'body') return (source === 'query' ? query : headers).find(([known]) => known === name)?.[1];
  if (body === undefined || Buffer.isBuffer(body)) return undefined;
  const whole: unknown = JSON.parse(body[name] ?? 'null');
  return inner.reduce((value, step) => (value as Record<string, unknown> | null)?.[step], whole);
}

function leavesOf(part: Schema, steps: readonly string[], api: DocumentedApi): Input[] {
  const schema = api.resolve<Schema>(part);
  const { properties, items, additionalProperties, examples } = schema;
  const within = (step: string, inner: Schema) => leavesOf(inner, [...steps, step], api);
  if (items) return within('0', items);
  if (additionalProperties)
    return Object.keys(examples?.[0] ?? {}).flatMap((name) => within(name, additionalProperties));
  if (properties) return Object.entries(properties).flatMap(([name, inner]) => within(name, inner));
  return [{ in: 'body', steps, schema }];
}

function withInner(known: unknown, [step, ...inner]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === '0') {
    const [first, ...rest] = Array.isArray(known) ? (known as unknown[]) : [];
    return [withInner(first, inner, value), ...rest];
  }
  const fields = (known ?? {}) as Readonly<Record<string, unknown>>;
  return { ...fields, [step]: withInner(fields[step], inner, value) };
}
