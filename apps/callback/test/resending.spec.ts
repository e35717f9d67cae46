import type { ServerResponse } from 'node:http';
import { sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { aWaitingCallback, CallbackConsumer, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { CallbackService } from '../src/callback.service.js';
import { TestCallbacks } from './support/test-callbacks.js';

let callbacks: TestCallbacks;
let worker: INestApplicationContext;
let consumer: CallbackConsumer;
/** Whether the consumer responds, by the number of the request. */
let answers: (count: number) => boolean;
const hanging: ServerResponse[] = [];

beforeAll(async () => {
  callbacks = await TestCallbacks.open();
  worker = await callbacks.worker();
  consumer = await CallbackConsumer.start((_request, response) => {
    if (answers(consumer.seen.length)) response.end('thanks');
    else hanging.push(response);
  });
});
afterAll(async () => {
  await consumer.stop();
  await callbacks.close();
});

const callback = async ({ attempts = 0 } = {}) => {
  consumer.seen.splice(0);
  const organisationId = await callbacks.organisation();
  const [id = ''] = await callbacks.record(organisationId, `http://localhost:${consumer.port}/`);
  await callbacks.database.execute(sql`UPDATE callback SET attempt = ${attempts}::int WHERE id = ${id}`);
  const resend = () => worker.get(CallbackService).resend({ id }, newContext({ organisationId }));
  const delivered = async () => (await callbacks.stored(id)).state === 'delivered';
  return { id, organisationId, resend, delivered };
};

it('a delivered callback is sent again with the same id and body', async () => {
  answers = () => true;
  const { id, resend, delivered } = await callback();
  await until('the callback is delivered', delivered);
  await resend();
  await until('the callback is delivered again', delivered);
  const [first, second, ...more] = consumer.seen;
  expect(more).toEqual([]);
  expect(second?.body).toEqual(first?.body);
  expect(consumer.seen.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
});

it('a callback in flight is not sent twice, and its host gets one attempt', async () => {
  answers = () => false;
  const { id, organisationId, resend } = await callback();
  await until('the consumer is called', () => consumer.seen.length === 1);
  await callbacks.database.execute(sql`
    INSERT INTO callback_host (organisation_id, host, pace_ms, failures, open_until)
    VALUES (${organisationId}, ${`localhost:${consumer.port}`}, 5, 9, now() + interval '1 hour')`);
  for (let times = 0; times < 20; times++) {
    expect(await resend()).toMatchObject({ status: 'pending', attempt_count: 1 });
  }
  const [other = ''] = await callbacks.record(organisationId, `http://localhost:${consumer.port}/`);
  callbacks.announce(worker, [other]);
  await worker.get(CallbackService).resend({ id: other }, newContext({ organisationId }));
  expect(await callbacks.stored(other)).toMatchObject({ attempt: 0 });
  for (const response of hanging.splice(0)) response.end();
  answers = () => true;
  await until(
    'the other callback is delivered',
    async () => (await callbacks.stored(other)).state === 'delivered',
  );
  expect(await callbacks.attemptsOf(id)).toMatchObject([{ attempt: 1, status: 200 }]);
  expect(consumer.seen).toHaveLength(2);
});

it('a callback in its last attempt is retried as a new one if that fails', async () => {
  answers = () => false;
  const { id, resend, delivered } = await callback({ attempts: 9 });
  await until('the consumer is called', () => consumer.seen.length === 1);
  await resend();
  for (const response of hanging.splice(0)) response.writeHead(404).end();
  await until('the attempt is recorded', async () => (await callbacks.attemptsOf(id)).length === 1);
  expect(await callbacks.stored(id)).toMatchObject({ state: 'pending', attempt: 10 });
  answers = () => true;
  await callbacks.hurry([id]);
  await until('the callback is delivered', delivered);
});

it('a callback that has ended is not sent again while too many others wait, but a waiting one is', async () => {
  answers = () => true;
  const { organisationId, resend, delivered, id } = await callback();
  await until('the callback is delivered', delivered);
  await aWaitingCallback(callbacks.database, organisationId);
  const waiting = await callbacks.database.callback.findFirstOrThrow({
    where: { organisationId, state: 'pending' },
  });
  await callbacks.database.organisation.update({
    where: { id: organisationId },
    data: { waitingCallbacks: 1 },
  });
  await expect(resend()).rejects.toMatchObject({
    status: 429,
    code: 'too_many_callbacks',
    fields: [{ field: 'id' }],
  });
  expect(await callbacks.stored(id)).toMatchObject({ state: 'delivered', attempt: 1 });
  const context = newContext({ organisationId });
  expect(await worker.get(CallbackService).resend(waiting, context)).toMatchObject({ status: 'pending' });
});
