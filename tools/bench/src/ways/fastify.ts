import type { Way } from './way.js';

/** No work: the upper bound of the HTTP layer and the load generator. */
export const way: Way = {
  gateway: () => {
    const created = new Date().toISOString();
    return Promise.resolve((_charge, { operationId }) =>
      Promise.resolve({ id: operationId, created, balance: '0' }),
    );
  },
};
