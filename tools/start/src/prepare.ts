import { describeError } from '@gangan/protocol';
import type { Message, Order } from './preparation.js';
import { prepareStore } from './prepare-store.js';

const tell = (message: Message): void => {
  process.send?.(message);
};

process.once('message', (order: Order) => {
  prepareStore(order, (line) => {
    tell({ type: 'step', line });
  })
    .then(
      (prepared) => {
        tell({ type: 'prepared', prepared });
      },
      (error: unknown) => {
        tell({ type: 'failed', reason: describeError(error) });
      },
    )
    .finally(() => {
      process.disconnect();
    });
});
// Also the end of a supervisor that was killed.
process.once('disconnect', () => process.exit());
