import { availableBroker, flag, option, type OptionsOf, positive, someOf, whole } from '@gangan/testing';
import { attackNames } from './attacks.js';

export const attackOptions = {
  only: option(someOf(attackNames), attackNames.join(','), 'the attacks', attackNames.join(',')),
  measure: option(
    someOf(['cost', 'slowdown']),
    'cost,slowdown',
    'the processor time of requests; the other organisation and memory during each attack',
  ),
  seconds: option(positive, '15', 'the length of a measurement before the attack, and of one during it'),
  rounds: option(whole, '5', 'how often each attack is measured; the medians of the ratios are shown'),
  size: option(positive, '1', 'a factor for the requests per second, connections and rows of all attacks'),
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
