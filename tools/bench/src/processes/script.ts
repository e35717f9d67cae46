import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the scripts of the bench have in common. They end with the bench, which handles Ctrl-C. */
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));

/** @param server one that listens */
export const announceReady = (server?: Server): void => {
  process.send?.({ type: 'ready', ...(server && { port: portOf(server) }) });
};

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

export const listen = (server: Server): void => {
  server.listen(0, '127.0.0.1', () => {
    announceReady(server);
  });
};

/** Answers the questions of the bench. */
export function answerQuestions(answer: (question: never) => unknown): void {
  process.on('message', (question) => {
    void new Promise((resolve) => {
      resolve(answer(question as never));
    }).then(
      (result) => process.send?.({ answer: result }),
      (error: unknown) => process.send?.({ failed: String(error) }),
    );
  });
}
