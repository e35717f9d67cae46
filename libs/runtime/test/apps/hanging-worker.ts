import { pbkdf2Sync } from 'node:crypto';
import * as querystring from 'node:querystring';
import { Handles, Queues } from '@gangan/queue';
import { Controller, Module } from '@nestjs/common';
import { runWorker } from '@gangan/runtime';
import { echo, echoOf, type EchoReply, type EchoRequest } from '../support/contracts.js';

/** The part of the transport that holds its BullMQ workers. */
interface Transport {
  readonly servers: readonly { readonly activeWorker?: { pause(doNotWait: boolean): Promise<void> } }[];
}

/** The types of Node lack it. */
const { unescapeBuffer } = querystring as unknown as { readonly unescapeBuffer: (text: string) => Buffer };

const hangs: Readonly<Record<string, (queues: Queues, forMs: number) => unknown>> = {
  'in a loop': (_, forMs) => {
    const end = performance.now() + forMs;
    while (performance.now() < end);
  },
  "in Node's own code": () => {
    const long = 'a'.repeat(2 ** 29 - 24);
    for (;;) unescapeBuffer(long);
  },
  'in a system call': () => pbkdf2Sync('never', 'ends', 2 ** 31 - 1, 64, 'sha512'),
  'without taking jobs': async (queues) => {
    const { servers } = queues.server as unknown as Transport;
    for (const server of servers) await server.activeWorker?.pause(true);
  },
};

@Controller()
class HangingHandler {
  constructor(private readonly queues: Queues) {}

  @Handles(echo)
  async say({ text, afterMs }: EchoRequest): Promise<EchoReply> {
    await hangs[text]?.(this.queues, afterMs);
    return { text };
  }
}

@Module({ controllers: [HangingHandler] })
class HangingModule {}

await runWorker({
  name: 'hanging',
  module: HangingModule,
  contracts: [echoOf('hanging')],
  tuning: { stuckAfterMs: 1_500 },
});
