import { describe, expect, it } from '@jest/globals';
import { listenAddresses } from './listen-addresses.js';

const own = ['127.0.0.1', '172.18.0.4', '172.31.251.7', '::1', 'fd00::7'];
const addressesOf = (hosts: string): string[] => listenAddresses('METRICS_HOST', hosts, own);

describe('the addresses to listen on', () => {
  it.each<[hosts: string, addresses: string[]]>([
    ['127.0.0.1', ['127.0.0.1']],
    ['0.0.0.0', ['0.0.0.0']],
    ['localhost', ['localhost']],
    ['::', ['::']],
    ['172.31.251.0/24', ['172.31.251.7']],
    ['127.0.0.1, 172.31.251.0/24', ['127.0.0.1', '172.31.251.7']],
    ['127.0.0.1,127.0.0.0/8', ['127.0.0.1']],
    ['172.16.0.0/12', ['172.18.0.4', '172.31.251.7']],
    ['fd00::/8', ['fd00::7']],
  ])('of %s', (hosts, addresses) => {
    expect(addressesOf(hosts)).toEqual(addresses);
  });

  it('must exist: nothing is opened elsewhere', () => {
    expect(() => addressesOf('127.0.0.1,10.0.0.0/8')).toThrow(
      'This machine has no address in 10.0.0.0/8, which METRICS_HOST names; it has 127.0.0.1, 172.18.0.4',
    );
  });

  it('include those of this machine', () => {
    expect(listenAddresses('METRICS_HOST', '127.0.0.0/8')).toEqual(['127.0.0.1']);
  });
});
