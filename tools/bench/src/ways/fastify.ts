import type { Way } from './way.js';

/** No work at all: what the HTTP layer and the load generator leave room for. */
export const way: Way = {
  gateway: () => {
    const created = new Date().toISOString();
    return Promise.resolve((_charge, { operationId }) =>
      Promise.resolve({ id: operationId, created, balance: '0' }),
    );
  },
};
