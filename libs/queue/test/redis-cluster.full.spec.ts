import { describeWithRedis } from '@gangan/testing';
import { conformance } from './support/conformance.js';
import { startClusterBroker } from './support/redis-broker.js';

describeWithRedis('the transport on a Redis Cluster', () => {
  conformance(startClusterBroker, { outages: false });
});
