import { describe, expect, it } from '@jest/globals';
import { haproxyConfiguration, shutdownDelaySeconds } from './load-balancer.js';

describe('the documented configuration of HAProxy', () => {
  it('differs in a run only by its ports and the absence of TLS', () => {
    const text = haproxyConfiguration(8443, [3501, 3502, 3503]);
    expect(text.match(/^ {2}bind .*$/gm)).toEqual(['  bind 127.0.0.1:8443']);
    expect(text.match(/^ {2}server .*$/gm)).toEqual([
      '  server gateway-1 127.0.0.1:3501',
      '  server gateway-2 127.0.0.1:3502',
      '  server gateway-3 127.0.0.1:3503',
    ]);
    expect(text).toContain('option httpchk GET /readyz');
  });

  it('notices that a gateway is ready before it notices that the next one stops', () => {
    const [, inter = 0, fall = 0, rise = 0] =
      /default-server check inter (\d+)s fall (\d+) rise (\d+) /
        .exec(haproxyConfiguration(8443, [3501]))
        ?.map(Number) ?? [];
    // The next check is up to an interval away from its cause.
    const readyAtTheLatest = rise * inter;
    const stoppedAtTheEarliest = (fall - 1) * inter;
    expect(readyAtTheLatest).toBeLessThan(stoppedAtTheEarliest);
    // Until then requests arrive. On a busy machine a check takes longer than the interval.
    expect(2 * fall * inter).toBeLessThan(shutdownDelaySeconds);
  });
});
