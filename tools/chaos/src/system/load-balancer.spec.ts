import { describe, expect, it } from '@jest/globals';
import { configuration } from './load-balancer.js';

describe('the documented configuration of HAProxy', () => {
  it('differs in a run only by its ports and the absence of TLS', () => {
    const text = configuration(8443, [3501, 3502, 3503]);
    expect(text.match(/^ {2}bind .*$/gm)).toEqual(['  bind 127.0.0.1:8443']);
    expect(text.match(/^ {2}server .*$/gm)).toEqual([
      '  server gateway-1 127.0.0.1:3501',
      '  server gateway-2 127.0.0.1:3502',
      '  server gateway-3 127.0.0.1:3503',
    ]);
    expect(text).toContain('option httpchk GET /readyz');
  });
});
