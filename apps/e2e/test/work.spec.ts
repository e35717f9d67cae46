import { describe } from '@jest/globals';
import { environment } from './support/environment.js';
import { useOwnSystem } from './support/own-system.js';
import { useHostileClient } from './work/hostile-client.js';
import { readsNumbersOfProvidersOnce } from './work/live-numbers.js';
import { comparesFewNames } from './work/names.js';
import { readsNumbersOnce } from './work/numbers.js';

/** Counts of work, because times depend on the machine. */
describe('a valid but hostile request', () => {
  // Its own, so that no other test adds to the counters.
  const client = useHostileClient(useOwnSystem(environment, { compact: true }));

  comparesFewNames(client);
  readsNumbersOnce(client);
  readsNumbersOfProvidersOnce(client);
});
