import { describe } from '@jest/globals';
import { logsRequestsOfOperators } from './journeys/debugging.js';
import { useSharedSystem } from './support/shared-system.js';

describe('debugging a request', () => {
  logsRequestsOfOperators(useSharedSystem());
});
