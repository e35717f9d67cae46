import { availableBroker, flag, option, type OptionsOf, positive, someOf, whole } from '@gangan/testing';
import { attackNames } from './attacks.js';

export const attackOptions = {
  only: option(someOf(attackNames), attackNames.join(','), 'the attacks', attackNames.join(',')),
  measure: option(
    someOf(['cost', 'slowdown']),
    'cost,slowdown',
    'the processor time of requests; the other organisation and memory during each attack',
  ),
  seconds: option(
    positive,
    '15',
    'the length of a measurement: of the processor time of plain requests, and of hostile ones; of the other organisation before the attack (the attacker then sends its requests to a bare server), and during it',
  ),
  rounds: option(whole, '5', 'how often each attack is measured; the medians of the ratios are shown'),
  rate: option(positive, '50', 'requests per second of the other organisation'),
  attacks: option(
    positive,
    '100',
    'hostile requests per second with a key: as many as an organisation may send',
  ),
  anonymous: option(positive, '200', 'hostile requests per second without a valid key'),
  uploads: option(whole, '5000', 'slow uploads at a time'),
  connections: option(whole, '5000', 'idle connections at a time'),
  webhooks: option(whole, '200', 'webhooks of 3 MiB at a time'),
  hosts: option(whole, '100000', 'dead callback hosts'),
  slowdown: option(
    positive,
    '2',
    'how many times as long an attack may make the other organisation wait (--check)',
  ),
  on: option(availableBroker, 'postgres', 'the broker of the queue: redis or postgres'),
  check: flag(
    'fail if hostile requests cost too much processor time or memory, or slow down the other organisation',
  ),
};

export type AttackOptions = OptionsOf<typeof attackOptions>;
