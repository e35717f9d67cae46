import { describeAgainWithRedis, startRedis, type TestRedis } from '@gangan/testing';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { receivesMessages } from './live/inbox.js';
import { obeysKeywords } from './live/keywords.js';
import { LiveSystem } from './live/live-system.js';
import { reportsDeliveries } from './live/reports.js';
import { sendsWhatsAppMessages } from './live/whatsapp.js';

/** Live organisations and their providers, from the first command on, for either queue backend. */
function describeLive(redis?: () => TestRedis): void {
  let running: LiveSystem;
  beforeAll(async () => {
    running = await LiveSystem.start(redis?.());
  });
  afterAll(() => running.stop());
  const live = (): LiveSystem => running;

  describe('it reports deliveries', () => {
    reportsDeliveries(live);
  });
  describe('it receives messages', () => {
    receivesMessages(live);
  });
  describe('it obeys keywords', () => {
    obeysKeywords(live);
  });
  describe('it sends WhatsApp messages', () => {
    sendsWhatsAppMessages(live);
  });
}

describe('providers, with the queue in Postgres', () => {
  describeLive();
});

describeAgainWithRedis('providers, with the queue in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis({ appendOnly: true });
  });
  afterAll(() => redis.stop());
  describeLive(() => redis);
});
