import { describe, expect, it } from '@jest/globals';
import { senderOf } from './incoming-message.js';

describe('the sender of an incoming message', () => {
  it.each([
    ['08031234567', '+2348031234567'],
    ['2348031234567', '+2348031234567'],
    ['+221331234567', '+221331234567'],
    // Without the `+`, and in a range that the numbering plan does not know.
    ['221331234567', '+221331234567'],
    ['15550783881', '+15550783881'],
    ['22345', '22345'],
    ['Acme', 'Acme'],
    ['', 'unknown'],
  ])('is read from %j as %j', (given, sender) => {
    expect(senderOf(given, 'NG')).toBe(sender);
  });
});
