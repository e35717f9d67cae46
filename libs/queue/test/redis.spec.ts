import { describeWithRedis } from '@gangan/testing';
import { conformance } from './support/conformance.js';
import { startRedisBroker } from './support/redis-broker.js';

describeWithRedis('the transport on Redis', () => {
  conformance(startRedisBroker, { outages: true });
});
