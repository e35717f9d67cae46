import { newContext } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import type { Backend, LaneQueue } from '../../src/backends/backend.js';
import { AppKeys, type LaneSender, MasterKeys, type QueueClient, type Queues } from '../../src/index.js';
import { Codec } from '../../src/wire/codec.js';
import type { Envelope, WireRequest } from '../../src/wire/envelope.js';
import * as oracle from './contracts.js';
import type { System } from './system.js';

const backendOf = (queues: Queues): Backend => (queues as unknown as { backend: Backend }).backend;
const addressOf = (queues: Queues): string => (queues.client as unknown as { address: string }).address;

/** What someone can do who writes to the broker, with the keys of an app or with none. */
export function forgeries(running: () => System): void {
  /** An app with some keys of the system. */
  const codecOf = (app: string, ...senders: LaneSender[]): Codec => {
    const keys = AppKeys.parse(new MasterKeys([running().master]).print(senders));
    if (!keys) throw new Error('The keys are not readable');
    return new Codec(app, keys);
  };
  const laneOf = (queues: Queues): Promise<LaneQueue> => backendOf(queues).queue('oracle');
  const add = async (queues: Queues, envelope: Envelope): Promise<void> => {
    await (await laneOf(queues)).add('requests', envelope, { attempts: 1, removeOnFail: false });
  };
  /** A request that could have been sent to run `contract`. */
  const requestOf = (contract: string) => ({
    request: { id: '1', name: contract, organisation: 'acme', deadline: Date.now() + 60_000 },
    parcel: JSON.stringify({ data: { text: 'forged' }, context: newContext({ organisationId: 'acme' }) }),
  });
  const untilParked = (): Promise<true> =>
    until('the job is parked', () => running().tally.parkedLanes.length === 1);
  const ask = (client: QueueClient): Promise<oracle.Answer> =>
    firstValueFrom(client.send(oracle.askPromise, { text: 'genuine' }));

  it.each<[what: string, (envelope: Envelope, request: WireRequest) => Partial<Envelope>]>([
    ['deadline', (_, request) => ({ requests: [{ ...request, deadline: Date.now() + 60_000 }] })],
    ['organisation', (_, request) => ({ requests: [{ ...request, organisation: 'other' }] })],
    ['contract', (_, request) => ({ requests: [{ ...request, name: oracle.askValue.name }] })],
    ['sender', () => ({ sender: 'oracle' })],
    ['address for replies', () => ({ replyTo: 'other' })],
  ])('parks a job whose %s was altered', async (_, alter) => {
    const gateway = await running().gateway();
    const abandoned = firstValueFrom(gateway.client.send(oracle.askQuickly, { text: 'abandoned' }));
    await expect(abandoned).rejects.toMatchObject({ code: 'outcome_unknown' });
    const lane = await laneOf(gateway);
    const job = await until('the job waits', async () => (await lane.getJobs(['waiting']))[0]);
    const envelope = job.data as Envelope;
    await job.updateData({ ...envelope, ...alter(envelope, envelope.requests[0] as WireRequest) });
    const worker = await running().worker();
    await untilParked();
    expect(await ask(gateway.client)).toEqual({ text: 'genuine!' });
    expect(worker.notebook.started).toEqual(['genuine']);
  });

  it('parks a job that names a sender whose key its writer does not have', async () => {
    const worker = await running().worker();
    const gateway = await running().gateway();
    const request = requestOf(oracle.askPromise.name);
    const sealed = codecOf('thief', { sender: 'thief', lane: 'oracle' }).sealJob(
      { sender: 'thief', lane: 'oracle', replyTo: 'nowhere' },
      [request],
    );
    await add(gateway, { ...sealed, sender: 'gateway' });
    await untilParked();
    expect(await ask(gateway.client)).toEqual({ text: 'genuine!' });
    expect(worker.notebook.started).toEqual(['genuine']);
  });

  it('parks a job that was sealed for another lane', async () => {
    const worker = await running().worker();
    const gateway = await running().gateway();
    const origin = { sender: 'gateway', lane: 'oracle-alone', replyTo: 'nowhere' };
    await add(gateway, codecOf('gateway', origin).sealJob(origin, [requestOf(oracle.askPromise.name)]));
    await untilParked();
    expect(worker.notebook.started).toEqual([]);
  });

  it('parks a job of a sender that the contract does not list, although it has a key of the lane', async () => {
    const worker = await running().worker();
    const gateway = await running().gateway();
    const origin = { sender: 'oracle', lane: 'oracle', replyTo: 'nowhere' };
    const seal = (contract: string): Envelope =>
      codecOf('oracle', origin).sealJob(origin, [requestOf(contract)]);
    await add(gateway, seal(oracle.askPromise.name));
    await untilParked();
    expect(
      running()
        .log.lines.map(({ details }) => JSON.stringify(details))
        .join(),
    ).toContain('oracle may not send oracle.promise');
    await add(gateway, seal(oracle.askValue.name));
    await until('the other contract is carried out', () => worker.notebook.started.length === 1);
    expect(worker.notebook.started).toEqual(['forged']);
  });

  it('refuses to send a contract that does not list the app', async () => {
    const { client } = await running().gateway({ ...running().settings, app: 'oracle' });
    expect(() => client.send(oracle.askPromise, { text: 'x' })).toThrow('oracle may not send oracle.promise');
    expect(() => client.emit(oracle.happened, { text: 'x' })).toThrow('oracle may not send oracle.happened');
  });

  it('drops replies of a lane that was not asked, and of apps without the key', async () => {
    const gateway = await running().gateway();
    const answer = ask(gateway.client);
    const address = addressOf(gateway);
    await until('the request waits in the broker', async () => {
      const [job] = await (await laneOf(gateway)).getJobs(['waiting']);
      return job !== undefined;
    });
    const forged = [{ id: '1', reply: JSON.stringify({ ok: true, data: { text: 'forged' } }) }];
    const publish = (payload: string): Promise<void> => backendOf(gateway).replies.publish(address, payload);
    const target = { sender: 'gateway', lane: 'other', replyTo: address };
    const ofOther = codecOf('other', target).sealReplies(target, forged);
    await publish(ofOther);
    await publish(ofOther.replace('other', 'oracle'));
    const ofThief = { ...target, sender: 'thief', lane: 'oracle' };
    await publish(codecOf('thief', ofThief).sealReplies(ofThief, forged));
    await until('the forged replies were dropped', () => {
      const messages = running().log.lines.map(({ message }) => message);
      return (
        messages.filter((message) => message === 'replies could not be opened').length === 2 &&
        messages.includes('replies dropped: their requests went to another lane')
      );
    });
    await running().worker();
    expect(await answer).toEqual({ text: 'genuine!' });
  });
}
