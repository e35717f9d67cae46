import type { HttpAttack } from './attack-names.js';

/** An order to the process of the attacker. */
export type AttackerOrder =
  | {
      readonly do: 'attack';
      readonly attack: HttpAttack;
      readonly port: number;
      readonly key: string;
      /** Requests per second; of uploads, how many are open at a time. */
      readonly amount: number;
    }
  | { readonly do: 'stop' };

/** How often each status was answered since the start of the attack; `none` if the connection was closed. */
export type Answers = Readonly<Record<string, number>>;
