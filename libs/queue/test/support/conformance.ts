import { repetitions, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, newContext, runInContext } from '@gangan/protocol';
import { firstValueFrom } from 'rxjs';
import { MasterKeys, type QueueClient, Queues } from '../../src/index.js';
import type { Backend } from '../../src/backends/backend.js';
import type { Broker, Outage } from './broker.js';
import * as oracle from './contracts.js';
import { forgeries } from './forgery.js';
import { System } from './system.js';

/** How the transport behaves on every backend. */
export function conformance(start: () => Promise<Broker>, { outages }: { outages: boolean }): void {
  let broker: Broker;
  let system: System;

  beforeAll(async () => {
    broker = await start();
  });
  afterAll(async () => {
    await broker.stop();
  });
  beforeEach(() => {
    system = new System(broker.connection);
  });
  afterEach(async () => {
    await system.close();
  });

  const client = async (from: System = system): Promise<QueueClient> => (await from.gateway()).client;
  const ask = (
    queue: QueueClient,
    contract: typeof oracle.askValue,
    data: oracle.Ask,
  ): Promise<oracle.Answer> => firstValueFrom(queue.send(contract, data));

  const refusal = async (answer: Promise<unknown>): Promise<AppError> => {
    const error = await answer.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof AppError)) throw new Error(`expected an AppError, not ${String(error)}`);
    return error;
  };

  describe('requests', () => {
    it('get the reply of a handler that returns a value, a promise or an observable', async () => {
      await system.worker();
      const queue = await client();
      expect(await ask(queue, oracle.askValue, { text: 'a' })).toEqual({ text: 'a!' });
      expect(await ask(queue, oracle.askPromise, { text: 'b' })).toEqual({ text: 'b!' });
      expect(await ask(queue, oracle.askStream, { text: 'c' })).toEqual({ text: 'c!' });
    });

    it('carry the context of their caller', async () => {
      const worker = await system.worker();
      const queue = await client();
      const context = newContext({ organisationId: 'acme', apiKeyId: 'key' });
      await runInContext(context, () => ask(queue, oracle.askPromise, { text: 'who' }));
      expect(worker.notebook.contexts[0]).toMatchObject(context);
    });

    it('get their own replies when many are sent from two gateways', async () => {
      await system.worker();
      await system.worker();
      const gateways = [await client(), await client()] as const;
      const answers = await Promise.all(
        Array.from({ length: repetitions(250, 2_000) }, (_, n) =>
          ask(gateways[n % 2 ? 1 : 0], oracle.askPromise, { text: `q${n}` }),
        ),
      );
      expect(answers).toEqual(answers.map((_, n) => ({ text: `q${n}!` })));
      expect(Math.max(...system.tally.batches)).toBeGreaterThan(1);
    });

    it('may contain any text of any size', async () => {
      await system.worker();
      const queue = await client();
      for (const text of ['\u0000', '\ud800 alone', '😀', 'x'.repeat(1_500_000)]) {
        expect(await ask(queue, oracle.askValue, { text })).toEqual({ text: `${text}!` });
      }
    });

    it('fail with the error of their handler: code, status and fields', async () => {
      await system.worker();
      const error = await refusal(ask(await client(), oracle.askRefused, { text: 'why' }));
      expect(error.serialize()).toEqual({
        code: 'not_today',
        status: 422,
        message: 'Not today: why',
        fields: [{ field: 'text', message: 'too curious', type: 'value_error' }],
        retryAfter: 7,
      });
    });

    it('fail without details of an internal error', async () => {
      await system.worker();
      const error = await refusal(ask(await client(), oracle.askBroken, { text: 'hunter2' }));
      expect(error).toMatchObject({ code: 'internal', status: 500 });
      expect(JSON.stringify(error.serialize())).not.toContain('hunter2');
      expect(system.log.lines.filter(({ message }) => message === 'handler failed')).toHaveLength(1);
    });

    it('fail alone if their reply cannot be serialized', async () => {
      await system.worker();
      const queue = await client();
      const [unspeakable, neighbour] = await Promise.all([
        refusal(ask(queue, oracle.askUnspeakable, { text: 'x' })),
        ask(queue, oracle.askValue, { text: 'y' }),
      ]);
      expect(unspeakable).toMatchObject({ code: 'internal', status: 500 });
      expect(neighbour).toEqual({ text: 'y!' });
    });

    it('of a batch are handled together if their handler accepts batches, otherwise alone', async () => {
      const worker = await system.worker();
      const queue = await client();
      const texts = ['plain a', 'b', 'plain refused', 'plain unsure', 'plain c'];
      const answers = await Promise.all(
        // The first one leaves alone; the others gather meanwhile.
        ['plain', ...texts].map((text) =>
          ask(queue, oracle.askTogether, { text }).then(
            (answer) => answer.text,
            (error: unknown) => (error as AppError).code,
          ),
        ),
      );
      expect(answers).toEqual([
        'plain, together',
        'plain a, together',
        'b, alone',
        'not_today',
        'plain unsure, alone',
        'plain c, together',
      ]);
      expect(worker.notebook.started).toEqual(['b', 'plain unsure']);
      expect(Math.max(...worker.notebook.taken)).toBeGreaterThan(1);
      expect(system.tally.handledOutcomes.toSorted()).toEqual(['error', 'ok', 'ok', 'ok', 'ok', 'ok']);
    });

    it.each(['broken', 'wrong'])('are handled alone if their batch fails: %s', async (fault) => {
      await system.worker();
      const answer = await ask(await client(), oracle.askTogether, { text: `plain ${fault}` });
      expect(answer).toEqual({ text: `plain ${fault}, alone` });
      expect(system.log.lines.filter(({ message }) => message.startsWith('a batch failed'))).toMatchObject([
        { level: 'warn', details: { err: { message: fault } } },
      ]);
    });

    it('can be sent by a worker', async () => {
      await system.worker();
      await system.worker();
      expect(await ask(await client(), oracle.askOnwards, { text: 'on' })).toEqual({ text: 'on!' });
    });

    it('get replies although invalid payloads arrive at their address', async () => {
      await system.worker();
      const gateway = await system.gateway();
      const { backend, client: queue } = gateway as unknown as { backend: Backend; client: QueueClient };
      const { address } = queue as unknown as { address: string };
      for (const nonsense of ['garbage', 'null', '[null]', '[["1"]]', '[["1","x"]]', '{}']) {
        await backend.replies.publish(address, nonsense);
      }
      expect(await ask(queue, oracle.askValue, { text: 'z' })).toEqual({ text: 'z!' });
    });

    it('pass the guards and pipes of their handler', async () => {
      await system.worker();
      const queue = await client();
      expect(await refusal(ask(queue, oracle.askGuarded, { text: 'x' }))).toMatchObject({
        code: 'members_only',
        status: 403,
      });
      const member = newContext({ organisationId: 'acme' });
      const answer = await runInContext(member, () => ask(queue, oracle.askGuarded, { text: ' x ' }));
      expect(answer).toEqual({ text: 'x!' });
    });

    it('time out with the id of their operation', async () => {
      await system.worker();
      const context = newContext();
      const queue = await client();
      const late = runInContext(context, () =>
        ask(queue, oracle.askQuickly, { text: 'slow', takeMs: 1_000 }),
      );
      const error = await refusal(late);
      expect(error).toMatchObject({ code: 'outcome_unknown', status: 503, retryAfter: 1 });
      expect(error.fields[0]?.message).toContain(context.operationId);
      expect(system.tally.outcomes).toEqual(['timeout']);
    });

    it('fail if no handler exists', async () => {
      await system.worker();
      const error = await refusal(ask(await client(), oracle.askUnhandled, { text: 'hello' }));
      expect(error).toMatchObject({ code: 'no_handler', status: 503 });
    });

    it('are dropped if their deadline has passed before they start', async () => {
      const queue = await client();
      await refusal(ask(queue, oracle.askQuickly, { text: 'abandoned' }));
      const worker = await system.worker();
      await ask(queue, oracle.askValue, { text: 'somebody waits' });
      await until('the reply is dropped', () => system.tally.handledOutcomes.includes('dropped'));
      expect(worker.notebook.started).toEqual(['somebody waits']);
    });

    it('are refused when too many are collected', async () => {
      const crowded = new System(broker.connection, { maxCollectedRequests: 10, inFlightJobs: 1 });
      const queue = await client(crowded);
      const answers = Array.from({ length: 30 }, (_, n) => ask(queue, oracle.askQuickly, { text: `q${n}` }));
      const codes = await Promise.all(answers.map(async (answer) => (await refusal(answer)).code));
      expect(codes.filter((code) => code === 'unavailable')).toHaveLength(20);
      await crowded.close();
    });
  });

  describe('a batch', () => {
    it('of 64 with one failing and one slow member replies to each alone, the slow one last', async () => {
      const worker = await system.worker();
      const queue = await client();
      const finished: number[] = [];
      const answers = Array.from({ length: 64 }, async (_, n) => {
        const contract = n === 20 ? oracle.askBroken : oracle.askPromise;
        const answer = ask(queue, contract, { text: `m${n}`, ...(n === 40 && { takeMs: 1_000 }) });
        return answer.catch((error: unknown) => (error as AppError).code).finally(() => finished.push(n));
      });
      const results = await Promise.all(answers);
      expect(results).toEqual(results.map((_, n) => (n === 20 ? 'internal' : { text: `m${n}!` })));
      expect(system.tally.batches).toEqual([64]);
      expect(worker.notebook.batches[0]).toBe(63);
      expect(finished.at(-1)).toBe(40);
    });

    it('does not delay others if it is slow', async () => {
      const worker = await system.worker();
      const finished: string[] = [];
      const asking = async (contract: typeof oracle.askValue, data: oracle.Ask): Promise<void> => {
        await ask(await client(), contract, data);
        finished.push(data.text);
      };
      const slow = ['a', 'b', 'c', 'd'].map((text) => asking(oracle.askPromise, { text, takeMs: 2_000 }));
      await until('four requests are in flight', () => worker.notebook.started.length === 4);
      await asking(oracle.askValue, { text: 'quick' });
      await Promise.all(slow);
      expect(finished[0]).toBe('quick');
    });

    it('is limited by weight; single requests have their own jobs', async () => {
      await system.worker();
      const queue = await client();
      await Promise.all(Array.from({ length: 4 }, (_, n) => ask(queue, oracle.askHeavy, { text: `${n}` })));
      await Promise.all(Array.from({ length: 3 }, (_, n) => ask(queue, oracle.askAlone, { text: `${n}` })));
      expect(system.tally.batches).toEqual([1, 1, 1, 1, 1, 1, 1]);
    });

    it('does not wait for slow single requests', async () => {
      await system.worker();
      const queue = await client();
      const finished: string[] = [];
      const slow = ask(queue, oracle.askAlone, { text: 'slow', takeMs: 1_500 }).then(() =>
        finished.push('slow'),
      );
      await Promise.all(
        Array.from({ length: 200 }, (_, n) =>
          ask(queue, oracle.askValue, { text: `${n}` }).then(() => finished.push('quick')),
        ),
      );
      await slow;
      expect(finished.indexOf('slow')).toBe(200);
    });

    it('leaves single requests of low priority behind the others, however late those come', async () => {
      const queue = await client();
      const asking: Promise<unknown>[] = [];
      for (const [contract, text] of [
        [oracle.askLater, 'later'],
        [oracle.askAlone, 'a'],
        [oracle.askLater, 'last'],
        [oracle.askAlone, 'b'],
      ] as const) {
        asking.push(ask(queue, contract, { text }));
        await until('it is in the queue', () => system.tally.batches.length === asking.length);
      }
      const { settings } = system;
      const tuning = { ...settings.tuning, singleConcurrency: 1 };
      const worker = await system.worker({ ...settings, tuning });
      await Promise.all(asking);
      expect(worker.notebook.started).toEqual(['a', 'b', 'later', 'last']);
    });
  });

  describe('events', () => {
    const tell = (queue: QueueClient, text: string, options = {}): Promise<void> =>
      firstValueFrom(queue.emit(oracle.happened, { text }, options));

    it('are handled once, and retried until their handler succeeds', async () => {
      const worker = await system.worker();
      const queue = await client();
      await tell(queue, 'once');
      await tell(queue, 'third time lucky');
      await until(
        'both events are handled',
        () => worker.notebook.events.get('third time lucky') === 3 && worker.notebook.events.has('once'),
      );
      expect(worker.notebook.events.get('once')).toBe(1);
    });

    it('are parked at once if the error is final', async () => {
      const worker = await system.worker();
      await tell(await client(), 'never');
      await until('the event is parked', () => system.tally.parkedLanes.includes('oracle-events'));
      await until('the parked event is counted', async () =>
        (await worker.queues.depths()).some(({ failed }) => failed === 1),
      );
      expect(worker.notebook.events.get('never')).toBe(1);
    });

    it('with the same job id are handled once', async () => {
      const queue = await client();
      await Promise.all([tell(queue, 'same', { jobId: 'row-1' }), tell(queue, 'same', { jobId: 'row-1' })]);
      const worker = await system.worker();
      await tell(queue, 'last');
      await until('the last event is handled', () => worker.notebook.events.has('last'));
      expect(worker.notebook.events.get('same')).toBe(1);
    });
  });

  describe('a worker', () => {
    it('finishes its jobs in flight when it stops, and leaves later ones to another', async () => {
      const first = await system.worker();
      const queue = await client();
      const begun = ask(queue, oracle.askPromise, { text: 'begun', takeMs: 800 });
      await until('the request is in flight', () => first.notebook.started.includes('begun'));
      const stopped = first.stop();
      expect(await begun).toEqual({ text: 'begun!' });
      await stopped;
      const later = ask(queue, oracle.askValue, { text: 'later' });
      await system.worker();
      expect(await later).toEqual({ text: 'later!' });
    });

    it('leaves a job that never ends to another, and closes its connections', async () => {
      system = new System(broker.connection, { drainTimeoutMs: 500 });
      const first = await system.worker();
      const queue = await client();
      const waiting = queue.send(oracle.askEndless, { text: 'endless' }).subscribe();
      await until('the request is in flight', () => first.notebook.started.includes('endless'));
      await first.stop();
      expect(system.log.lines.map(({ message }) => message)).toContain(
        'closed with jobs in flight; another worker will run them',
      );
      const second = await system.worker();
      await until('the second worker runs the request', () => second.notebook.started.includes('endless'));
      waiting.unsubscribe();
    });

    it('parks jobs that it cannot read, and continues', async () => {
      const worker = await system.worker();
      const gateway = await system.gateway();
      await addRaw(gateway, { v: 99, requests: [] });
      await addRaw(gateway, 'nonsense');
      await addRaw(gateway, { v: 2, sender: 'gateway', requests: [{ id: 1 }] });
      await until('three jobs are parked', () => system.tally.parkedLanes.length === 3);
      expect(await ask(gateway.client, oracle.askValue, { text: 'still here' })).toEqual({
        text: 'still here!',
      });
      await until('the parked jobs are counted', async () =>
        (await worker.queues.depths()).some(({ lane, failed }) => lane === 'oracle' && failed === 3),
      );
    });

    it('reports the depth of its lanes', async () => {
      const queue = await client();
      const waiting = ask(queue, oracle.askValue, { text: 'first' });
      const worker = await system.worker();
      await waiting;
      await until('the lanes are empty', async () =>
        (await worker.queues.depths()).every(({ waiting: left, active }) => left + active === 0),
      );
      expect((await worker.queues.depths()).map(({ lane }) => lane).sort()).toEqual([
        'oracle',
        'oracle-alone',
        'oracle-events',
      ]);
      await until('the worker serves again', () => worker.queues.server.progress().serving);
      expect(worker.queues.server.progress()).toEqual({ running: true, serving: true, oldestActiveMs: 0 });
    });

    it('with the new key can be read by processes with both keys', async () => {
      const keys = new MasterKeys([new System(broker.connection).master, system.master]);
      const rotated = { ...system.settings, keys };
      await system.worker(rotated);
      const old = await client();
      expect(await refusal(ask(old, oracle.askQuickly, { text: 'old seal' }))).toMatchObject({
        code: 'outcome_unknown',
      });
      const gateway = await system.gateway(rotated);
      expect(await ask(gateway.client, oracle.askValue, { text: 'new seal' })).toEqual({ text: 'new seal!' });
    });
  });

  describe('a writer to the broker', () => {
    forgeries(() => system);
  });

  it('leaves nothing readable in the store: waiting, failed or answered', async () => {
    const queue = await client();
    const canary = 'canary-7f3a9';
    const unheard = refusal(ask(queue, oracle.askQuickly, { text: canary }));
    await firstValueFrom(queue.emit(oracle.happened, { text: `never ${canary}` }));
    await firstValueFrom(queue.emit(oracle.happened, { text: `always wrong ${canary}` }));
    await unheard;
    const lying = await broker.dump();
    expect(lying).toContain(oracle.askQuickly.name);
    expect(lying).not.toContain(canary);
    expect(lying).not.toContain(Buffer.from(canary).toString('base64').slice(0, 12));
    const worker = await system.worker();
    expect(await ask(queue, oracle.askValue, { text: canary })).toEqual({ text: `${canary}!` });
    await until('two parked jobs are counted', async () =>
      (await worker.queues.depths()).some(({ failed }) => failed === 2),
    );
    expect(await broker.dump()).not.toContain(canary);
  });

  (outages ? describe : describe.skip)('while the broker is unavailable', () => {
    it('every request gets a reply or an error, and later requests succeed', async () => {
      const outage = outageOf(broker);
      await system.worker();
      const queue = await client();
      const settled: Promise<string>[] = [];
      const load = setInterval(() => {
        const answer = ask(queue, oracle.askQuickly, { text: `r${settled.length}` });
        settled.push(
          answer.then(
            () => 'answered',
            (error: unknown) => (error as AppError).code,
          ),
        );
      }, 5);
      await until('50 requests have ended', () => settled.length > 50);
      await outage.begin();
      await outage.end();
      await until('the queue answers', () => answers(queue));
      clearInterval(load);
      const outcomes = new Set(await Promise.all(settled));
      const known = ['answered', 'unavailable', 'outcome_unknown'];
      expect([...outcomes].filter((outcome) => !known.includes(outcome))).toEqual([]);
      expect(outcomes).toContain('answered');
    });

    it('a worker that lost the connection at its start reconnects', async () => {
      const outage = outageOf(broker);
      const queues = await Queues.open({ ...system.settings, app: 'oracle' }, 'worker', system.log);
      await outage.begin();
      const worker = await system.serve(queues);
      expect(worker.queues.server.progress()).toMatchObject({ running: true, serving: false });
      await outage.end();
      const queue = await client();
      await until('the queue answers', () => answers(queue));
      await until('the worker serves again', () => worker.queues.server.progress().serving);
    });

    it('a worker can stop', async () => {
      const outage = outageOf(broker);
      const worker = await system.worker();
      await until('the worker serves again', () => worker.queues.server.progress().serving);
      await outage.begin();
      await worker.stop();
      await outage.end();
    });

    it('a gateway refuses requests at once, a worker waits, and both connect later', async () => {
      const outage = outageOf(broker);
      await outage.begin();
      const gateway = await Queues.open(system.settings, 'producer', system.log);
      const worker = system.worker();
      try {
        expect(await refusal(ask(gateway.client, oracle.askValue, { text: 'early' }))).toMatchObject({
          code: 'unavailable',
        });
        await expect(gateway.ping()).rejects.toThrow();
        await expect(firstValueFrom(gateway.client.emit(oracle.happened, { text: 'early' }))).rejects.toThrow(
          AppError,
        );
        await outage.end();
        await until('the gateway gets replies', () => answers(gateway.client));
        expect((await worker).notebook.started).toContain('are you there?');
      } finally {
        await gateway.close();
      }
    });
  });

  const answers = (queue: QueueClient): Promise<boolean> =>
    ask(queue, oracle.askValue, { text: 'are you there?' }).then(
      () => true,
      () => false,
    );
}

function outageOf({ outage }: Broker): Outage {
  if (!outage) throw new Error('this broker has no outages');
  return outage;
}

/** Adds a job that no client would send. */
async function addRaw(gateway: Queues, data: unknown): Promise<void> {
  const { backend } = gateway as unknown as { backend: Backend };
  await (await backend.queue('oracle')).add('requests', data, { attempts: 1 });
}
