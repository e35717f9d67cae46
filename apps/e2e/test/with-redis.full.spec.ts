import { describeWithRedis } from '@gangan/testing';
import { describe } from '@jest/globals';
import { logsRequestsOfOperators } from './journeys/debugging.js';
import { describeFaults, describeJourneys } from './journeys/journeys.js';
import { describeLive } from './live/live.js';
import { debugEnvironment, environment } from './support/environment.js';
import { useOwnSystem } from './support/own-system.js';

describeWithRedis('the system with its queues in Redis', () => {
  const running = useOwnSystem(environment, {
    redis: { appendOnly: true, settings: { appendfsync: 'always' } },
  });
  describeJourneys(running);
  describe('with providers', () => {
    describeLive(running);
  });
  describeFaults(running);
});

describeWithRedis('debugging a request, with the queues in Redis', () => {
  logsRequestsOfOperators(useOwnSystem(debugEnvironment, { redis: {} }));
});
