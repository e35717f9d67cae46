import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allContracts } from '@gangan/contracts';
import { AppError, newContext, type RequestContract } from '@gangan/protocol';
import { MasterKeys, Queues } from '@gangan/queue';
import { areQuick, isFullSuite, noiseOf, superLinearGrowth, until } from '@gangan/testing';
import { beforeAll, expect, it } from '@jest/globals';
import { databaseUrlOf } from '../support/database-of.js';
import { filled, fillers, sizesUpTo } from './fillers.js';
import { commonHeaders, textInputsOf, validStart, withText } from './text-inputs.js';
import { dataOf, workerOperation } from './worker-operation.js';
import { DocumentedApi, type Operation } from '../interface/documented-api.js';
import { examplesOf } from '../interface/example.js';
import { exchange } from '../interface/exchange.js';
import type { Input } from '../interface/inputs.js';
import { assemble, bareParts, type RequestParts } from '../interface/request-parts.js';
import type { RunningSystem } from '../support/running.js';
import { newOrganisation } from '../support/new-organisation.js';

/** Bytes of a text, so that the body stays below its limit with the other fields of the example. */
const largeText = 1_000_000;
const bodyLimits: Readonly<Record<string, number>> = {
  '/sms/send': largeText,
  '/sms/estimate': largeText,
};
const defaultBodyLimit = 60_000;
/** Request line and headers may have 16 KiB together. */
const headLimit = 14_000;
/** The time of a job contains that in the queue. Quadratic work on such a text takes seconds. */
const jobNoiseMs = 500;
/** The time of an import contains that of its job in the queue and of asking for its state. */
const importNoiseMs = 2_000;
const money = 100_000_000_000n;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const requests = allContracts.filter((contract): contract is RequestContract => contract.kind === 'request');
const workers = [...new Set(requests.map(({ queue }) => queue))];
const senderOf = ({ senders }: RequestContract): string => senders[0] ?? '';

export function takesLongTexts({ system, database }: RunningSystem): void {
  let api: DocumentedApi;
  beforeAll(async () => {
    api = await DocumentedApi.of(system());
  });

  it('in the gateway, in every field of every route', async () => {
    const { key } = await newOrganisation(database(), 'Routes', money);
    const faults: string[] = [];
    for (const operation of api.operations) {
      const example = exampleOf(operation, api, key);
      const bodyLimit = bodyLimits[operation.path] ?? defaultBodyLimit;
      for (const input of textInputsOf(operation, api)) {
        const limit = input.in === 'body' ? bodyLimit : headLimit;
        faults.push(...(await faultsOf(operation, input, example, limit, sendHttp)));
      }
    }
    expect(faults).toEqual([]);
  });

  it('in the gateway, in the headers of every request', async () => {
    const { key } = await newOrganisation(database(), 'Headers', money);
    const operations = api.operations.filter(({ path }) => path === '/sms/send');
    expect(operations).toHaveLength(1);
    const faults: string[] = [];
    for (const operation of operations)
      for (const header of commonHeaders) {
        const example = exampleOf(operation, api, key);
        faults.push(...(await faultsOf(operation, header, example, headLimit, sendHttp)));
      }
    expect(faults).toEqual([]);
  });

  const sendHttp = async (parts: RequestParts): Promise<void> => {
    const answer = await exchange(system().port, assemble(parts));
    // A request over the limits would test nothing.
    const isTested = answer && answer.status < 500 && ![413, 429, 431].includes(answer.status);
    expect([isTested, answer?.text]).toEqual([true, answer?.text]);
  };

  it.each(workers)('in the worker %s, in jobs that the gateway would refuse', async (worker) => {
    const { id: organisationId } = await newOrganisation(database(), `Jobs of ${worker}`, money);
    const master = (await readFile(join(system().folder, 'queue-master.key'), 'utf8')).trim();
    const connection = { kind: 'postgres', url: await databaseUrlOf(system()), poolSize: 3 } as const;
    const contracts = requests.filter(({ queue }) => queue === worker);
    /** By the sender of a contract: a worker accepts it from no other. */
    const senders = new Map<string, Queues>();
    for (const app of new Set(contracts.map(senderOf)))
      senders.set(
        app,
        await Queues.open({ connection, app, keys: new MasterKeys([master]) }, 'producer', silent),
      );
    const send = async (contract: RequestContract, data: object): Promise<void> => {
      const context = newContext({ organisationId });
      await new Promise((next, error) => {
        senders.get(senderOf(contract))?.client.send(contract, data, context).subscribe({ next, error });
      }).catch(acceptRefusal);
    };
    try {
      for (const { client } of senders.values()) {
        await client.listen();
        await until('replies can arrive', () => client.listening);
      }
      const faults: string[] = [];
      for (const contract of contracts) {
        const { operation, api: own } = workerOperation(contract);
        const example = exampleOf(operation, own, '');
        for (const input of textInputsOf(operation, own)) {
          const sendJob = (parts: RequestParts) => send(contract, dataOf(parts));
          const found = await faultsOf(operation, input, example, defaultBodyLimit, sendJob, jobNoiseMs);
          faults.push(...found);
        }
      }
      expect(faults).toEqual([]);
    } finally {
      for (const queues of senders.values()) {
        await queues.client.close();
        await queues.close();
      }
    }
  });

  it.each(Object.entries(fillers))('in the import of a file with %s', async (name, unit) => {
    const { key } = await newOrganisation(database(), `Import of ${name}`);
    const path = '/lists/contact/imports';
    const headers = { 'content-type': 'text/csv' };
    const importFile = async (size: number): Promise<void> => {
      const text = filled('Name\nAda', unit, size);
      const { status, body } = await system().request({ method: 'POST', path, key, headers, text });
      expect([status, body]).toEqual([200, body]);
      await until('the import ends', async () => {
        const answer = await system().request({ path: `${path}/${(body as { id: string }).id}`, key });
        return ['done', 'failed'].includes((answer.body as { state: string }).state);
      });
    };
    expect(await superLinearGrowth(sizesUpTo(largeText), importFile, importNoiseMs)).toBeUndefined();
  });
}

const exampleOf = (operation: Operation, api: DocumentedApi, key: string): RequestParts =>
  examplesOf(operation, api, key)[0] ?? bareParts(operation, key);

/** In the fast suite each input is filled with one of the units, the next input with the next one. */
let turn = 0;
function fillersOfInput(): [name: string, unit: string][] {
  const all = Object.entries(fillers);
  turn += 1;
  return isFullSuite ? all : all.slice(turn % all.length).slice(0, 1);
}

/** Sends one request with each of the fillers, all at once; if that takes long, one at a time with growing texts. */
async function faultsOf(
  operation: Operation,
  input: Input,
  example: RequestParts,
  limit: number,
  send: (parts: RequestParts) => Promise<void>,
  noise = noiseOf(limit),
): Promise<string[]> {
  const start = validStart(example, input);
  const works = fillersOfInput().map(([name, unit]) => {
    const place = `${operation.id}, ${input.in} ${input.steps.join('.')}, ${name}`;
    const work = (size: number): Promise<void> =>
      send(withText(example, input, filled(start, unit, size, encodings[input.in]))).catch(
        (error: unknown) => {
          throw new Error(`${place}: ${String(error)}`, { cause: error });
        },
      );
    return { place, work };
  });
  const longest = works.map(
    ({ work }) =>
      () =>
        work(limit),
  );
  if (await areQuick(longest, noise)) return [];
  const faults: string[] = [];
  for (const { place, work } of works) {
    const fault = await superLinearGrowth(sizesUpTo(limit), work, noise);
    if (fault) faults.push(`${place}: ${fault}`);
  }
  return faults;
}

/** How a text is written in each place. */
const encodings: Readonly<Record<Input['in'], (text: string) => string>> = {
  path: encodeURIComponent,
  query: encodeURIComponent,
  header: String,
  body: (text) => JSON.stringify(text).slice(1, -1),
};

/** Any answer will do, but there must be one. */
const acceptRefusal = (error: unknown): void => {
  if (error instanceof AppError && !['unavailable', 'outcome_unknown'].includes(error.code)) return;
  throw error;
};
