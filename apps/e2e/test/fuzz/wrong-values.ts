import { isFullSuite } from '@gangan/testing';
import { beforeAll, expect, it } from '@jest/globals';
import { DocumentedApi, type Operation } from '../interface/documented-api.js';
import { examplesOf } from '../interface/example.js';
import { exchange } from '../interface/exchange.js';
import { type Input, inputsOf, withInput } from '../interface/inputs.js';
import { assemble, bareParts, type RequestParts } from '../interface/request-parts.js';
import type { RunningSystem } from '../support/running.js';
import { newOrganisation } from '../support/new-organisation.js';

/** One value of every type. Each is wrong for most fields. */
const values: readonly unknown[] = [null, true, 0, -1.5, '', 'x', [], [null], {}, { x: null }];
const money = 100_000_000_000n;

export function refusesWrongValues({ system, database }: RunningSystem): void {
  let api: DocumentedApi;
  beforeAll(async () => {
    api = await DocumentedApi.of(system());
  });

  it('responds without 5xx to an empty body, and to null and values of every type in every field', async () => {
    const { key } = await newOrganisation(database(), 'Wrong values', money);
    const requests = api.operations.flatMap((operation) => wrongRequests(operation, api, key));
    expect(requests.length).toBeGreaterThan(1_000);
    const faults: string[] = [];
    const sendNext = async (): Promise<void> => {
      for (let next = requests.pop(); next; next = requests.pop()) {
        const { method, target, body } = assemble(next);
        const answer = await exchange(system().port, assemble(next));
        if (answer && answer.status >= 500)
          faults.push(`${method} ${target} ${body?.toString() ?? ''}: ${answer.status} ${answer.text}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, sendNext));
    expect(faults).toEqual([]);
  });
}

function wrongRequests(operation: Operation, api: DocumentedApi, key: string): RequestParts[] {
  const bare = bareParts(operation, key);
  const example = examplesOf(operation, api, key)[0] ?? bare;
  const inputs = inputsOf(operation, api).flatMap((input) =>
    input.in === 'header' ? [] : withParents(input),
  );
  const distinct = new Map(inputs.map((input) => [`${input.in} ${input.steps.join('.')}`, input]));
  return [
    ...(operation.body ? [{ ...bare, body: {} }] : []),
    ...[...distinct.values()].flatMap((input) =>
      valuesOfInput().map((value) => withInput(example, input, value)),
    ),
  ];
}

/** In the fast suite null, an object, and one of the others in turn. */
let turn = 0;
function valuesOfInput(): readonly unknown[] {
  turn += 1;
  return isFullSuite ? values : [null, {}, values[turn % values.length]];
}

/** The input itself, and the objects and lists around it. */
const withParents = (input: Input): Input[] =>
  input.steps.map((_, index) => ({ ...input, steps: input.steps.slice(0, index + 1) }));
