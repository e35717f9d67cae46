import { describe } from '@jest/globals';
import { conformance } from './support/conformance.js';
import { startPostgresBroker } from './support/postgres-broker.js';

describe('the transport on Postgres', () => {
  conformance(startPostgresBroker, { outages: true });
});
