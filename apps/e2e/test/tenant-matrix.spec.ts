import { randomUUID } from 'node:crypto';
import { startPostgres, type TestPostgres, World } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DescribedInterface, type Operation } from './interface/described.js';
import { exampleOf, idPlaceOf } from './interface/example.js';
import { exchange, type Received } from './interface/exchange.js';
import { assemble, type RequestParts } from './interface/request-parts.js';
import { idsIn } from './tenants/ids-in.js';
import { secondOrganisation } from './tenants/second-organisation.js';
import { seedOf } from './tenants/seeds.js';

/** What belongs to the one (the demo organisation) does not exist for the other. */
describe('two organisations', () => {
  const one = 'sk_test_demo';
  let other: string;
  let postgres: TestPostgres;
  let world: World;
  let api: DescribedInterface;
  /** Something that belongs to the first, by the path that takes its id. */
  const belongings = new Map<string, string>();
  beforeAll(async () => {
    postgres = await startPostgres();
    world = await World.open({ DATABASE_URL: postgres.url });
    await world.start();
    other = await secondOrganisation(postgres.url);
    api = await DescribedInterface.of(world);
    for (const { path } of api.operations.filter((operation) => idPlaceOf(operation, api))) {
      belongings.set(path, await seedOf(path)((question) => world.ask({ ...question, key: one })));
    }
  }, 120_000);
  afterAll(async () => {
    await world.close();
    await postgres.stop();
  }, 60_000);

  it('cannot reach each other’s things by their ids, nor learn that they exist', async () => {
    for (const operation of api.operations) {
      const id = belongings.get(operation.path);
      if (id === undefined) continue;
      const foreign = await ask(operation, other, id);
      const unknown = await ask(operation, other, randomUUID());
      expect([operation.id, foreign.status, foreign.text]).toEqual([operation.id, 404, unknown.text]);
      expect([operation.id, (await ask(operation, one, id)).status]).not.toEqual([operation.id, 404]);
    }
  }, 60_000);

  it('do not see each other’s things in lists', async () => {
    const lists = api.operations.filter(
      (operation) => operation.method === 'GET' && !operation.isPublic && !idPlaceOf(operation, api),
    );
    expect(lists).not.toEqual([]);
    const shown: string[] = [];
    for (const operation of lists) {
      const [mine, theirs] = [await list(operation, one), await list(operation, other)];
      expect([operation.id, theirs.filter((id) => mine.includes(id))]).toEqual([operation.id, []]);
      shown.push(...mine);
    }
    expect(shown).not.toEqual([]);
  }, 60_000);

  it('are compared on every route with an id: one that nobody has prepared for is named', () => {
    expect(() => seedOf('/parcels/{id}')).toThrow('/parcels/{id} takes an id');
  });

  const ask = (operation: Operation, key: string, id: string): Promise<Received> =>
    send(withId(operation, exampleOf(operation, api, key), id));

  const list = async (operation: Operation, key: string): Promise<string[]> => {
    const { status, text } = await send(unfiltered(operation, exampleOf(operation, api, key)));
    expect([operation.id, status]).toEqual([operation.id, 200]);
    return idsIn(JSON.parse(text));
  };

  const send = async (parts: RequestParts): Promise<Received> => {
    const answer = await exchange(world.port, assemble(parts));
    if (!answer) throw new Error(`${parts.method} ${parts.path} was not answered`);
    return answer;
  };

  /** With all that a query may leave out left out: the list is whole. */
  const unfiltered = ({ parameters }: Operation, parts: RequestParts): RequestParts => ({
    ...parts,
    query: parts.query.filter(([name]) => parameters.some((known) => known.name === name && known.required)),
  });

  const withId = (operation: Operation, parts: RequestParts, id: string): RequestParts =>
    idPlaceOf(operation, api) === 'path'
      ? { ...parts, params: Object.fromEntries(operation.parameters.map(({ name }) => [name, id])) }
      : { ...parts, body: { ...(parts.body as Record<string, string>), id: JSON.stringify(id) } };
});
