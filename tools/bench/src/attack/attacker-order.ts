import type { AttackName } from './attacks.js';
import type { Access } from './requests/http-request.js';

interface Target {
  readonly attack: AttackName;
  readonly port: number;
  readonly access: Access;
}

/** An attack that lasts until it is stopped. */
export interface AttackOrder extends Target {
  readonly do: 'attack';
  /** Requests per second, or connections at a time. */
  readonly amount: number;
}

/** Sends requests one after the other on a few connections. */
export interface RepeatOrder extends Target {
  readonly do: 'repeat';
  readonly which: 'plain' | 'hostile';
  readonly seconds: number;
}

/** An order to the process of the attacker. It responds to all but the first. */
export type AttackerOrder = AttackOrder | RepeatOrder | { readonly do: 'stop' };

/**
 * How often each status was answered since the start of the order; `none` if the connection was closed, `open` if it was
 * still open at the end.
 */
export type Answers = Readonly<Record<string, number>>;
