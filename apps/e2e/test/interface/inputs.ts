import type { DescribedInterface, Operation, Parameter, Schema } from './described.js';
import type { RequestParts } from './request-parts.js';

/** One value that an operation takes, at whatever depth. */
export interface Input {
  readonly in: Parameter['in'] | 'body';
  /** From the outside inwards; `0` stands for the items of a list. */
  readonly steps: readonly string[];
  readonly schema: Schema;
}

export const inputsOf = ({ parameters, body }: Operation, api: DescribedInterface): Input[] => [
  ...parameters.map(({ in: place, name, schema }) => ({
    in: place,
    steps: [name],
    schema: api.resolve<Schema>(schema),
  })),
  ...(body ? leavesOf(body.schema, [], api) : []),
];

export const nameOf = ({ steps }: Input): string => steps.findLast((step) => step !== '0') ?? '';

/** The same request with another value, which a body takes as it is and everything else as text. */
export function withInput(parts: RequestParts, { in: place, steps }: Input, value: unknown): RequestParts {
  const [name = '', ...inner] = steps;
  const others = (pairs: RequestParts['query']) => pairs.filter(([known]) => known !== name);
  switch (place) {
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

/** Whether a request has room for an input as it is: the field of its body that holds it is there. */
export const gives = ({ body }: RequestParts, { in: place, steps: [name = ''] }: Input): boolean =>
  place !== 'body' || Object.hasOwn(body ?? {}, name);

/** What a request says in this place. */
export function valueAt(parts: RequestParts, { in: place, steps: [name = '', ...inner] }: Input): unknown {
  const { body, params, query, headers } = parts;
  if (place === 'path') return params[name];
  if (place !== 'body') return (place === 'query' ? query : headers).find(([known]) => known === name)?.[1];
  if (body === undefined || Buffer.isBuffer(body)) return undefined;
  const whole: unknown = JSON.parse(body[name] ?? 'null');
  return inner.reduce((value, step) => (value as Record<string, unknown> | null)?.[step], whole);
}

function leavesOf(part: Schema, steps: readonly string[], api: DescribedInterface): Input[] {
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
