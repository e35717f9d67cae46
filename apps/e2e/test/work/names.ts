import { expect, it } from '@jest/globals';
import type { DocumentedApi, Operation } from '../interface/documented-api.js';
import { examplesOf } from '../interface/example.js';
import { inputsOf } from '../interface/inputs.js';
import type { Pairs, RequestParts } from '../interface/request-parts.js';
import type { HostileClient } from './hostile-client.js';
import { phonesIn } from './phone-inputs.js';

const [unknownFields, unknownParameters, unknownHeaders] = [480, 100, 100];
/** Of one request: `NameSearch` ends then. */
const maxComparisons = 50;

export function comparesFewNames(client: HostileClient): void {
  it('of any operation compares at most 50 names, however many unknown fields, parameters and headers it has', async () => {
    expect(client.api.operations.length).toBeGreaterThan(70);
    for (const operation of client.api.operations) {
      const parts = withUnknownNames(operation, client.api, client.key);
      const title = `${operation.method} ${operation.path}`;
      // Two readings of each number, each of two texts.
      const bounds = { names: maxComparisons, parsed: 4 * phonesIn(parts, operation, client.api) };
      const status = await client.expectWork(title, bounds, () => client.send(parts));
      expect([title, [200, 400, 404].includes(status)]).toEqual([title, true]);
    }
  });

  it('to a misspelt path visits each route at most twice, and compares at most 50', async () => {
    const paths = new Set(client.api.operations.map(({ path }) => path));
    const routes = paths.size + undocumentedRoutes;
    await client.expectWork('without a key, each route is visited once', { routes }, () =>
      client.running.system().request({ path: '/nope' }),
    );
    for (const path of paths) {
      const misspelt = path.replace(/\w(\w)/, '$1x').replaceAll(/\{\w+\}/g, exampleId);
      const bounds = { names: maxComparisons, routes: 2 * routes };
      const { status } = await client.expectWork(misspelt, bounds, () => client.ask({ path: misspelt }));
      expect([misspelt, status]).toEqual([misspelt, 404]);
    }
  });
}

const exampleId = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

/** Pages, documents, webhooks and tracked links. */
const undocumentedRoutes = 15;

/** A request with no more than the required fields, so that others are absent, and with names that are similar to all of them. */
function withUnknownNames(operation: Operation, api: DocumentedApi, key: string): RequestParts {
  const [example] = examplesOf(operation, api, key);
  if (!example) throw new Error(`${operation.id} has no example`);
  const declared = [...new Set(inputsOf(operation, api).map(({ steps: [name = ''] }) => name)), 'id'];
  const similar = (count: number): Pairs =>
    Array.from({ length: count }, (_, index) => {
      const name = declared[index % declared.length] ?? '';
      return [`${name.slice(0, -1)}${Math.floor(index / declared.length)}`, '1'];
    });
  const { required = [] } = operation.body ? api.resolve(operation.body.schema) : {};
  const fields = Object.entries(Buffer.isBuffer(example.body) ? {} : (example.body ?? {}));
  const body = operation.body
    ? Object.fromEntries([
        ...fields.filter(([name]) => required.includes(name)),
        ...similar(unknownFields),
      ] as Pairs)
    : example.body;
  return {
    ...example,
    body,
    query: similar(unknownParameters),
    headers: [...example.headers, ...similar(unknownHeaders)],
  };
}
