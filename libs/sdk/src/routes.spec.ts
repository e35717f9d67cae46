import { readdirSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { Gangan, type GanganOptions } from './gangan.js';
import { repetitionOf, type Route } from './routes.js';

interface Described {
  readonly 'x-codeSamples'?: readonly { readonly source: string }[];
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

  it('have a sample that calls them', async () => {
    for (const [route, { 'x-codeSamples': samples = [] }] of documented) {
      expect([route, samples.length]).toEqual([route, route in withoutMethod ? 0 : 1]);
      for (const { source } of samples) {
        const [method = '', path = ''] = route.split(' ');
        const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/{}]+')}$`);
        expect(await requestsOf(source)).toEqual([expect.stringMatching(pattern)]);
      }
    }
  });

  it('have a key exactly if the API takes one', () => {
    for (const [route, { parameters = [] }] of documented) {
      const takesKey = parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'));
      expect([route, repetitionOf(route) === 'keyed']).toEqual([route, takesKey]);
    }
  });
});

/** Runs a sample without a server. */
async function requestsOf(sample: string): Promise<string[]> {
  const requests: string[] = [];
  const send = async (...request: ConstructorParameters<typeof Request>): Promise<Response> => {
    const { method, url } = new Request(...request);
    requests.push(`${method} ${new URL(url).pathname}`);
    return Promise.resolve(Response.json({}));
  };
  class OfflineGangan extends Gangan {
    constructor(options: GanganOptions) {
      super({ ...options, fetch: send });
    }
  }
  const [first = '', ...lines] = sample.split('\n');
  expect(first).toBe(`import { Gangan } from '@gangan/sdk';`);
  const globals = { Gangan: OfflineGangan, console: { log: () => undefined } };
  await runInNewContext(`(async () => {${lines.join('\n')}})()`, globals);
  return requests;
}
