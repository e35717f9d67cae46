import { describe } from '@jest/globals';
import { useSharedSystem } from '../support/shared-system.js';
import { survivesDyingProvider } from './dying-provider.js';

describe('a provider that dies', () => {
  survivesDyingProvider(useSharedSystem(), {
    messages: 60,
    acceptedFirst: 100,
    isForAll: false,
    inRealTime: false,
  });
});
