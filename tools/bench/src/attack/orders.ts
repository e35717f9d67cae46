import type { AttackName } from './attacks.js';
import type { Access } from './requests/http-request.js';

interface Target {
  readonly attack: AttackName;
  /** Which of its requests are sent. */
  readonly which: 'plain' | 'hostile';
  readonly port: number;
  readonly access: Access;
  readonly seconds: number;
}

/** An attack that lasts until it is stopped, about so many seconds. It is answered when the attack begins. */
export interface AttackOrder extends Target {
  readonly do: 'attack';
  /** Requests per second, or connections at a time. */
  readonly amount: number;
}

/** Sends requests one after the other on a few connections. */
export interface RepeatOrder extends Target {
  readonly do: 'repeat';
}

/** An order to the process of the attacker. It answers with `Answers` to all but the first. */
export type AttackerOrder = AttackOrder | RepeatOrder | { readonly do: 'stop' };

/**
 * How often each status was answered since the start of the order; `none` if the connection was closed, `open` if it was
 * still open at the end.
 */
export type Answers = Readonly<Record<string, number>>;
