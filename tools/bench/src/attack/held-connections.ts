import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { atRate } from '../load/at-rate.js';
import type { Hold } from './attacks.js';
import type { AttackOrder } from './orders.js';

/** The connections are those of many clients, which do not connect all at once. */
export const connectionsPerSecond = 500;
const maxPerTick = 10;
/** Fewer than a gateway accepts from one address. */
const perAddress = 900;
const eachMs = 1_000;

/** Connections that are held open, and opened again when they are closed. */
export class HeldConnections {
  private readonly open = new Set<Socket>();
  private readonly sent: ReturnType<NonNullable<Hold['send']>> | undefined;

  constructor(
    private readonly hold: Hold,
    private readonly order: AttackOrder,
    private readonly count: (answer: string) => void,
  ) {
    this.sent = hold.send?.(order.access);
  }

  async keep(isOver: () => boolean): Promise<void> {
    let opened = 0;
    await atRate(
      connectionsPerSecond,
      () => isOver() || opened >= this.order.amount,
      () => {
        if (opened >= this.order.amount) return;
        opened += 1;
        void this.keepOne(opened, isOver);
      },
      maxPerTick,
    );
  }

  /** @returns how many were open */
  close(): number {
    const open = [...this.open].filter(({ readyState }) => readyState === 'open').length;
    for (const socket of this.open) socket.destroy();
    return open;
  }

  private async keepOne(number: number, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.connectOnce(addressOf(number), isOver);
      if (!isOver()) await pause(this.hold.retryMs * (0.5 + Math.random()));
    }
  }

  /** Until the connection is closed or a response arrives. */
  private connectOnce(localAddress: string, isOver: () => boolean): Promise<void> {
    const { sent } = this;
    const { port } = this.order;
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      this.open.add(socket);
      if (sent) socket.write(sent.first, 'latin1');
      const slow = setInterval(() => {
        if (sent && socket.writableLength === 0) socket.write(sent.each, 'latin1');
      }, eachMs);
      let answer = 'none';
      socket.once('data', (chunk: Buffer) => {
        answer = chunk.toString('latin1', 9, 12);
        socket.destroy();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(slow);
        this.open.delete(socket);
        if (!isOver()) this.count(answer);
        resolve();
      });
    });
  }
}

/** Not the address of the other organisation, which is 127.0.0.1. */
const addressOf = (number: number): string => `127.0.0.${2 + Math.floor((number - 1) / perAddress)}`;
