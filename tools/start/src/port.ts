import { createServer } from 'node:net';
import { describeError } from '@gangan/protocol';
import { StartError } from './start-error.js';

/** Refuses, in words, a port that the gateway could not have: better now than after everything else has started. */
export const assertPortFree = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      const reason = taken
        ? `Port ${port} is taken by another program`
        : `Port ${port} cannot be used (${describeError(error)})`;
      reject(
        new StartError(
          `${reason}. Stop that program, or choose another port: PORT=${port + 1} npx pnpm@12 start`,
        ),
      );
    });
    probe.listen(port, host, () => {
      probe.close(() => {
        resolve();
      });
    });
  });
