import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { benchScript } from '../scripts.js';
import type { Answers, AttackerOrder, AttackOrder, RepeatOrder } from './attacker-order.js';

const entry = fileURLToPath(benchScript('attack/attacker-process'));

/** The process of an attacker. */
export class Attacker {
  private readonly child: ChildProcess = fork(entry);

  start(attack: Omit<AttackOrder, 'do'>): void {
    this.send({ do: 'attack', ...attack });
  }

  /** Ends the attack. @returns what was answered */
  stop(): Promise<Answers> {
    return this.ask({ do: 'stop' });
  }

  /** @returns what was answered */
  repeat(requests: Omit<RepeatOrder, 'do'>): Promise<Answers> {
    return this.ask({ do: 'repeat', ...requests });
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }

  private send(order: AttackerOrder): void {
    this.child.send(order);
  }

  private async ask(order: AttackerOrder): Promise<Answers> {
    const received = once(this.child, 'message') as Promise<[Answers]>;
    this.send(order);
    return (await received)[0];
  }
}
