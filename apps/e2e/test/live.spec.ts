import { describe } from '@jest/globals';
import { describeLive } from './live/live.js';
import { useSharedSystem } from './support/shared-system.js';

describe('the system with providers', () => {
  describeLive(useSharedSystem());
});
