import { availableBroker, flag, option, type OptionsOf, positive, someOf, whole } from '@gangan/testing';
import { attackNames } from './attack-names.js';

export const attackOptions = {
  only: option(someOf(attackNames), attackNames.join(','), 'the attacks', attackNames.join(',')),
  seconds: option(
    positive,
    '15',
    'the length of a measurement; each attack has one before it (the attacker then sends its requests to a bare server) and one during it',
  ),
  rounds: option(whole, '5', 'how often each attack is measured; the medians of the ratios are shown'),
  rate: option(positive, '50', 'requests per second of the other organisation'),
  attacks: option(positive, '100', 'hostile requests per second: as many as an organisation may send'),
  keys: option(positive, '200', 'requests with unknown keys per second'),
  uploads: option(whole, '5000', 'slow uploads at a time'),
  hosts: option(whole, '100000', 'dead callback hosts'),
  on: option(availableBroker, 'postgres', 'the broker of the queue: redis or postgres'),
  assert: flag('fail if an attack makes the other organisation more than twice as slow'),
};

export type AttackOptions = OptionsOf<typeof attackOptions>;
