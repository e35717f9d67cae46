import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repetitionOf, type Route } from './routes.js';

interface Described {
  readonly parameters?: readonly { readonly $ref?: string }[];
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const { paths } = JSON.parse(read('../../../docs/openapi.json')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};
const documented = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}` as Route, operation] as const,
  ),
);

/** Routes without a method, and who calls them. */
const withoutMethod: Readonly<Record<string, string>> = {
  'GET /healthz': 'probes',
  'GET /readyz': 'probes',
  'GET /l/{code}': 'recipients, in a browser',
};

describe('the routes of the document', () => {
  it('have a method each, except those that customers do not call', () => {
    const sources = readdirSync(new URL('resources', import.meta.url)).map((name) =>
      read(`resources/${name}`),
    );
    // Types such as `Query<'GET /sms'>` are not calls.
    const called = new Set(sources.join('').match(/(?<=[\s(]')(?:GET|POST|PATCH|DELETE) [^']+(?=')/g));
    const expected = documented.map(([route]) => route).filter((route) => !(route in withoutMethod));
    expect([...called].toSorted()).toEqual(expected.toSorted());
  });

  it('have a key exactly if the API takes one', () => {
    for (const [route, { parameters = [] }] of documented) {
      const takesKey = parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'));
      expect([route, repetitionOf(route) === 'keyed']).toEqual([route, takesKey]);
    }
  });
});
