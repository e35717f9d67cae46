import { describe, expect, it } from '@jest/globals';
import { networkOf, proxiesFault } from './client-address.js';

describe('proxiesFault', () => {
  it.each(['127.0.0.1', '10.0.0.0/8, 192.168.1.7', '::1', 'fd00::/8,10.0.0.1', '2001:db8::1/128'])(
    'accepts %s',
    (text) => {
      expect(proxiesFault(text)).toBeUndefined();
    },
  );

  it.each([
    '',
    'true',
    '*',
    'proxy.internal',
    '10.0.0.1,',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '::/0',
    '1.2.3.4/8/8',
    '10/8',
  ])('rejects %j', (text) => {
    expect(proxiesFault(text)).toMatch(/^must be IP addresses or ranges/);
  });
});

describe('networkOf', () => {
  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1:2:3:4:5:6', 'fe80:0:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['203.0.113.7', '203.0.113.7'],
    ['', ''],
  ])('%s is in %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
