import type { ServerResponse } from 'node:http';
import { newContext } from '@gangan/protocol';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { ReadingService } from '../src/reading/reading.service.js';
import { Consumer } from './support/consumer.js';
import { Station } from './support/station.js';
import { until } from './support/until.js';

let station: Station;
let worker: INestApplicationContext;
let consumer: Consumer;
/** Whether the consumer answers, by the number of the request. */
let answers: (count: number) => boolean;
const hanging: ServerResponse[] = [];

beforeAll(async () => {
  station = await Station.open();
  worker = await station.worker();
  consumer = await Consumer.start((_request, response) => {
    if (answers(consumer.seen.length)) response.end('thanks');
    else hanging.push(response);
  });
}, 60_000);
afterAll(async () => {
  await consumer.stop();
  await station.close();
});

const callback = async () => {
  consumer.seen.splice(0);
  const organisationId = await station.organisation();
  const [id = ''] = await station.record(organisationId, `http://localhost:${consumer.port}/`);
  const resend = () => worker.get(ReadingService).resend({ id }, newContext({ organisationId }));
  const delivered = async () => (await station.stored(id)).state === 'delivered';
  return { id, resend, delivered };
};

it('what was delivered comes once more, with the same id and body', async () => {
  answers = () => true;
  const { id, resend, delivered } = await callback();
  await until(delivered);
  await resend();
  await until(delivered);
  const [first, second, ...more] = consumer.seen;
  expect(more).toEqual([]);
  expect(second?.body).toEqual(first?.body);
  expect(consumer.seen.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
}, 30_000);

it('what hangs is sent beside it, and its late end changes nothing', async () => {
  answers = (count) => count > 1;
  const { id, resend, delivered } = await callback();
  await until(() => consumer.seen.length === 1);
  await resend();
  await until(delivered);
  for (const response of hanging) response.writeHead(410).end();
  await station.endWorkers();
  expect(await station.stored(id)).toMatchObject({ state: 'delivered', attempt: 2 });
  expect(await station.attemptsOf(id)).toMatchObject([
    { attempt: 1, error: 'superseded' },
    { attempt: 2, status: 200 },
  ]);
}, 30_000);
