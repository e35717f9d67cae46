import { isFullSuite } from '@gangan/testing';
import { beforeAll, expect, it } from '@jest/globals';
import { DocumentedApi, type Operation } from '../interface/documented-api.js';
import { examplesOf } from '../interface/example.js';
import { exchange, type Received } from '../interface/exchange.js';
import { idInputsOf, needsId } from '../interface/id-inputs.js';
import { gives, type Input, nameOf, withInput } from '../interface/inputs.js';
import { assemble, type RequestParts } from '../interface/request-parts.js';
import { idsIn } from './ids-in.js';
import { likenessOf, neighbourOf } from './likeness.js';
import { newOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';
import { seedOf } from './seeds.js';

/** Ids that are a position in a list: they need not exist. */
const places: ReadonlySet<string> = new Set(['before', 'after']);

/** Records that belong to no organisation: the list of them, and the input that names one. */
const [sharedLists, sharedIds] = [new Set(['/airtime/products']), new Set(['product_id'])];

/** How many of the first and of the last ids of a list are tried. */
const perList = isFullSuite ? 2 : 1;

/** Concurrent requests that do not overload the gateway. */
const atOnce = 20;

/** Records of one organisation do not exist for the other. */
export function separatesOrganisations({ system, database }: RunningSystem): void {
  let one: string;
  let other: string;
  let api: DocumentedApi;
  /** Ids of the first organisation: one record of every kind, and some ids of each of its lists. */
  const ownIds = new Set<string>();
  /** The record of the kind that a path names, or the first and last records of the list at the path. */
  const idsOfPath = new Map<string, readonly string[]>();
  beforeAll(async () => {
    ({ key: one } = await newOrganisation(database(), 'First', 1_000_000n));
    ({ key: other } = await newOrganisation(database(), 'Second'));
    api = await DocumentedApi.of(system());
    const paths = api.operations.filter((operation) => needsId(operation, api)).map(({ path }) => path);
    for (const path of new Set(paths)) {
      const id = await seedOf(path)((question) => system().request({ ...question, key: one }), database());
      idsOfPath.set(path, [id]);
      ownIds.add(id);
    }
    const made = [...ownIds];
    const shown = new Set<string>();
    for (const operation of lists()) {
      const ids = await list(operation, one);
      for (const id of ids) shown.add(id);
      // The last id in the response to a query is that of the query.
      const some = [...ids.slice(0, perList), ...ids.slice(-perList)];
      idsOfPath.set(operation.path, some);
      for (const id of some) ownIds.add(id);
    }
    expect([...shown]).toEqual(expect.arrayContaining(made));
  });

  it('cannot access each other’s records by id, nor learn that they exist, in any input', async () => {
    await throughUses(other, anyInput, ({ operation, input }, foreign, unknown) => {
      const context = [operation.id, ...input.steps];
      expect([...context, ...seenIn(foreign)]).toEqual([...context, ...seenIn(unknown)]);
      if (input.in === 'path') expect([...context, foreign.status]).toEqual([...context, 404]);
      return 'all ids';
    });
  });

  it('access their own records with the same requests', async () => {
    const reached = new Map<string, boolean>();
    await throughUses(one, namesOwnRecord, ({ operation, input }, own, unknown) => {
      const use = [operation.id, ...input.steps].join(' ');
      const differs = JSON.stringify(seenIn(own)) !== JSON.stringify(seenIn(unknown));
      reached.set(use, reached.get(use) === true || differs);
      return differs ? 'enough' : 'all ids';
    });
    expect(reached.size).toBeGreaterThan(0);
    expect([...reached].filter(([, differs]) => !differs)).toEqual([]);
  });

  it('do not see each other’s records in lists', async () => {
    for (const operation of lists()) {
      const theirs = await list(operation, other);
      expect([operation.id, theirs.filter((id) => ownIds.has(id))]).toEqual([operation.id, []]);
    }
  });

  it('are compared on every route with an id; a route without a seed is named', () => {
    expect(() => seedOf('/parcels/{id}')).toThrow('/parcels/{id} takes an id');
  });

  const lists = (): Operation[] =>
    api.operations.filter(
      (operation) =>
        (operation.method === 'GET' || operation.path.endsWith('/query')) &&
        !operation.isPublic &&
        !sharedLists.has(operation.path) &&
        !needsId(operation, api),
    );

  /** Where the kind of an id is known, the fast suite tries only ids of that kind. */
  const idsFor = ({ path }: Operation, input: Input): readonly string[] => {
    if (isFullSuite) return [...ownIds];
    const name = nameOf(input);
    const ofKind =
      input.in === 'path' || name === 'id' || places.has(name)
        ? path
        : [...idsOfPath.keys()].find((each) => each.endsWith(`/{${name}}`));
    return (ofKind !== undefined && idsOfPath.get(ofKind)) || [...ownIds];
  };

  /** Tries ids in the id inputs of all operations, until `look` has seen enough; next to each an unknown id. */
  const throughUses = async (
    key: string,
    isTried: (input: Input) => boolean,
    look: (
      use: { operation: Operation; input: Input },
      named: Received,
      unknown: Received,
    ) => 'all ids' | 'enough',
  ): Promise<void> => {
    const uses = api.operations.flatMap((operation) =>
      idInputsOf(operation, api)
        .filter(isTried)
        .map((input) => ({ operation, input })),
    );
    const deletes = ({ operation }: (typeof uses)[number]): boolean => operation.method === 'DELETE';
    // Operations run one after the other, deleting ones last; the ids of each run concurrently.
    for (const use of [...uses.filter((each) => !deletes(each)), ...uses.filter(deletes)]) {
      const asked = async (id: string): Promise<Received> => {
        const answer = await ask(use.operation, key, use.input, id);
        // A response may repeat what was given.
        return { ...answer, text: answer.text.replaceAll(id, 'id') };
      };
      const [some = ''] = ownIds;
      const nothing = await asked(neighbourOf(some));
      // In a query an id may be a position in a list, and its neighbour has the same position.
      const beside = (id: string) => (use.input.in === 'query' ? asked(neighbourOf(id)) : nothing);
      for (const ids of inGroups(idsFor(use.operation, use.input), atOnce)) {
        const answers = ids.map((id) => Promise.all([asked(id), beside(id)]));
        const seen = (await Promise.all(answers)).map(([named, unknown]) => look(use, named, unknown));
        if (seen.includes('enough')) break;
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
    const answer = await exchange(system().port, assemble(parts));
    if (!answer) throw new Error(`${parts.method} ${parts.path} was not answered`);
    return answer;
  };

  /** The example that has the input, without optional query parameters, so that lists are complete. */
  const unfiltered = (operation: Operation, key: string, input?: Input): RequestParts => {
    const isNeeded = (name: string) =>
      operation.parameters.some((parameter) => parameter.name === name && parameter.required);
    const examples = examplesOf(operation, api, key);
    const example = examples.find((parts) => input && gives(parts, input)) ?? examples[0];
    if (!example) throw new Error(`${operation.id} has no example`);
    return { ...example, query: example.query.filter(([name]) => isNeeded(name)) };
  };
}

const anyInput = (): boolean => true;

const namesOwnRecord = (input: Input): boolean => !places.has(nameOf(input)) && !sharedIds.has(nameOf(input));

const inGroups = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, group) =>
    all.slice(group * size, (group + 1) * size),
  );
