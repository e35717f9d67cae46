import { isFullSuite } from '@gangan/testing';
import { describe } from '@jest/globals';
import { logsRequestsOfOperators } from './journeys/debugging.js';
import { debugEnvironment } from './support/environment.js';
import { useOwnSystem } from './support/own-system.js';
import { useSharedSystem } from './support/shared-system.js';

describe('debugging a request', () => {
  // In the full suite the shared system logs everything.
  logsRequestsOfOperators(isFullSuite ? useOwnSystem(debugEnvironment) : useSharedSystem());
});
