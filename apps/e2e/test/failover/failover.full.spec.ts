import { describe } from '@jest/globals';
import { useOwnSystem } from '../support/own-system.js';
import { survivesDyingProvider } from './dying-provider.js';

describe('a provider of all organisations that dies, in production,', () => {
  const running = useOwnSystem({ NODE_ENV: 'production', DELIVERY_VALIDITY: '40s' });
  survivesDyingProvider(running, {
    messages: 100,
    acceptedFirst: 200,
    isForAll: true,
    inRealTime: true,
  });
});
