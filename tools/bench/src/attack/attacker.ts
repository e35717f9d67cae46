import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { benchScript } from '../scripts.js';
import type { Answers, AttackerOrder } from './attacker-order.js';

const entry = fileURLToPath(benchScript('attack/attacker-process'));

/** The process of an attacker. */
export class Attacker {
  private readonly child: ChildProcess = fork(entry);

  start(attack: Omit<Extract<AttackerOrder, { do: 'attack' }>, 'do'>): void {
    this.child.send({ do: 'attack', ...attack } satisfies AttackerOrder);
  }

  /** Ends the attack. @returns what was answered */
  async stop(): Promise<Answers> {
    const received = once(this.child, 'message') as Promise<[Answers]>;
    this.child.send({ do: 'stop' } satisfies AttackerOrder);
    return (await received)[0];
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}
