import { describe, expect, it } from '@jest/globals';
import { HostsToClaim } from './hosts-to-claim.js';

const hostOf = (organisationId: string, host: number) => ({ organisationId, host: `${host}.example` });

describe('HostsToClaim', () => {
  it('takes the host of one organisation before the thousandth of another that came first', () => {
    const hosts = new HostsToClaim();
    for (let host = 0; host < 1_000; host += 1) hosts.add(hostOf('many', host));
    hosts.add(hostOf('one', 1));
    expect(hosts.take(3)).toEqual([hostOf('many', 0), hostOf('one', 1), hostOf('many', 1)]);
  });

  it('continues with the organisation whose turn it is', () => {
    const hosts = new HostsToClaim();
    for (const organisation of ['a', 'b', 'c'])
      for (const host of [1, 2]) hosts.add(hostOf(organisation, host));
    expect(hosts.take(2)).toEqual([hostOf('a', 1), hostOf('b', 1)]);
    expect(hosts.take(2)).toEqual([hostOf('c', 1), hostOf('a', 2)]);
    expect(hosts.take(10)).toEqual([hostOf('b', 2), hostOf('c', 2)]);
    expect([hosts.isEmpty, hosts.take(1)]).toEqual([true, []]);
  });

  it('has each host once', () => {
    const hosts = new HostsToClaim();
    hosts.add(hostOf('a', 1));
    hosts.add(hostOf('a', 1));
    expect(hosts.take(10)).toEqual([hostOf('a', 1)]);
  });
});
