import type { Database } from '@gangan/database';
import { TestSystem } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseOf } from './database-of.js';
import { DescribedInterface, type Operation } from './interface/described.js';
import { examplesOf } from './interface/example.js';
import { exchange, type Received } from './interface/exchange.js';
import { idInputsOf, needsId } from './interface/id-inputs.js';
import { gives, type Input, nameOf, withInput } from './interface/inputs.js';
import { assemble, type RequestParts } from './interface/request-parts.js';
import { idsIn } from './tenants/ids-in.js';
import { likenessOf, neighbourOf } from './tenants/likeness.js';
import { newOrganisation } from './tenants/new-organisation.js';
import { seedOf } from './tenants/seeds.js';

/** An id that is only a place in a list: whether it names something makes no difference. */
const places: ReadonlySet<string> = new Set(['before', 'after']);

/** Requests that no gateway is too busy for. */
const atOnce = 20;

/** What belongs to the one (the demo organisation) does not exist for the other. */
describe('two organisations', () => {
  const one = 'sk_test_demo';
  let other: string;
  let system: TestSystem;
  let database: Database;
  let api: DescribedInterface;
  /** Ids of what belongs to the first: something of every kind, and all that its lists show. */
  const belongings = new Set<string>();
  beforeAll(async () => {
    system = await TestSystem.open({ RATE_LIMIT_PER_SECOND: '0' });
    await system.start();
    database = await databaseOf(system);
    other = await newOrganisation(database, 'Second');
    api = await DescribedInterface.of(system);
    for (const { path } of api.operations.filter((operation) => needsId(operation, api)))
      belongings.add(await seedOf(path)((question) => system.request({ ...question, key: one })));
    const made = [...belongings];
    const shown: string[] = [];
    for (const operation of lists()) shown.push(...(await list(operation, one)));
    expect(shown).toEqual(expect.arrayContaining(made));
    for (const id of shown) belongings.add(id);
  }, 120_000);
  afterAll(async () => {
    await database.close();
    await system.close();
  }, 180_000);

  it('cannot reach each other’s things by their ids, nor learn that they exist, wherever an id is taken', async () => {
    await throughEveryUse(other, ({ operation, input }, foreign, unknown) => {
      const told = [operation.id, ...input.steps];
      expect([...told, ...seenIn(foreign)]).toEqual([...told, ...seenIn(unknown)]);
      if (input.in === 'path') expect([...told, foreign.status]).toEqual([...told, 404]);
    });
  }, 180_000);

  it('reach their own by the same requests', async () => {
    const reached = new Map<string, boolean>();
    await throughEveryUse(one, ({ operation, input }, own, unknown) => {
      const use = [operation.id, ...input.steps].join(' ');
      const differs = JSON.stringify(seenIn(own)) !== JSON.stringify(seenIn(unknown));
      if (!places.has(nameOf(input))) reached.set(use, reached.get(use) === true || differs);
    });
    expect(reached.size).toBeGreaterThan(0);
    expect([...reached].filter(([, differs]) => !differs)).toEqual([]);
  }, 180_000);

  it('do not see each other’s things in lists', async () => {
    for (const operation of lists()) {
      const theirs = await list(operation, other);
      expect([operation.id, theirs.filter((id) => belongings.has(id))]).toEqual([operation.id, []]);
    }
  }, 180_000);

  it('are compared on every route with an id: one that nobody has prepared for is named', () => {
    expect(() => seedOf('/parcels/{id}')).toThrow('/parcels/{id} takes an id');
  });

  const lists = (): Operation[] =>
    api.operations.filter(
      (operation) =>
        (operation.method === 'GET' || operation.path.endsWith('/query')) &&
        !operation.isPublic &&
        !needsId(operation, api),
    );

  /** Every belonging wherever an id is taken, whatever it is the id of; and beside each an id of nothing. */
  const throughEveryUse = async (
    key: string,
    look: (use: { operation: Operation; input: Input }, named: Received, unknown: Received) => void,
  ): Promise<void> => {
    const uses = api.operations.flatMap((operation) =>
      idInputsOf(operation, api).map((input) => ({ operation, input })),
    );
    const deletes = ({ operation }: (typeof uses)[number]): boolean => operation.method === 'DELETE';
    // One after the other, those last that delete what they are about; belongings many at once, as they are many.
    for (const use of [...uses.filter((each) => !deletes(each)), ...uses.filter(deletes)]) {
      const asked = (id: string) => ask(use.operation, key, use.input, id);
      const [some = ''] = belongings;
      const nothing = await asked(neighbourOf(some));
      // In a query an id may be a place in a list, and a neighbour is in the same.
      const beside = (id: string) => (use.input.in === 'query' ? asked(neighbourOf(id)) : nothing);
      for (const ids of inGroups([...belongings], atOnce)) {
        const answers = ids.map((id) => Promise.all([asked(id), beside(id)]));
        for (const [named, unknown] of await Promise.all(answers)) look(use, named, unknown);
      }
    }
  };

  const seenIn = ({ status, text }: Received): unknown[] => [status, likenessOf(text)];

  const ask = (operation: Operation, key: string, input: Input, id: string): Promise<Received> =>
    send(withInput(unfiltered(operation, key, input), input, id));

  const list = async (operation: Operation, key: string): Promise<string[]> => {
    const { status, text } = await send(unfiltered(operation, key));
    expect([operation.id, status]).toEqual([operation.id, 200]);
    return idsIn(JSON.parse(text));
  };

  const send = async (parts: RequestParts): Promise<Received> => {
    const answer = await exchange(system.port, assemble(parts));
    if (!answer) throw new Error(`${parts.method} ${parts.path} was not answered`);
    return answer;
  };

  /** The example that has room for an input, with all that a query may leave out left out: a list is whole. */
  const unfiltered = (operation: Operation, key: string, input?: Input): RequestParts => {
    const isNeeded = (name: string) =>
      operation.parameters.some((parameter) => parameter.name === name && parameter.required);
    const examples = examplesOf(operation, api, key);
    const example = examples.find((parts) => input && gives(parts, input)) ?? examples[0];
    if (!example) throw new Error(`${operation.id} has no example`);
    return { ...example, query: example.query.filter(([name]) => isNeeded(name)) };
  };
});

const inGroups = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, group) =>
    all.slice(group * size, (group + 1) * size),
  );
