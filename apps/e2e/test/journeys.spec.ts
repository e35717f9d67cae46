import { describe } from '@jest/globals';
import { describeJourneys } from './journeys/journeys.js';
import { useSharedSystem } from './support/shared-system.js';

describe('the system', () => {
  describeJourneys(useSharedSystem());
});
