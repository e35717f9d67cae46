import { masterSealer, newSealingKey, TextSealer } from '@gangan/sealing';
import { describe, expect, it } from '@jest/globals';
import { SealedBodies } from './sealed-bodies.js';

describe('sealed bodies', () => {
  const [dataKey, queueKey] = [newSealingKey(), newSealingKey()];
  const sealer = masterSealer([dataKey]);
  const bodies = new SealedBodies(sealer, [queueKey]);
  const own = { id: 'd1', organisationId: 'o1' };

  it('are opened only for their delivery and organisation', () => {
    const sealedBody = sealer.seal('text', { column: 'delivery.sealed_body', ...own });
    expect(bodies.open({ ...own, sealedBody })).toBe('text');
    expect(() => bodies.open({ ...own, organisationId: 'o2', sealedBody })).toThrow();
    expect(() => bodies.open({ ...own, id: 'd2', sealedBody })).toThrow();
    expect(() => bodies.open({ ...own, sealedBody: null })).toThrow('too short');
  });

  it('of version 0.2, sealed with QUEUE_KEY, can be opened', () => {
    const earlier = new TextSealer([queueKey], { variable: 'QUEUE_KEY', use: 'gangan-text' });
    const sealedBody = earlier.seal('text', own.id);
    expect(bodies.open({ ...own, sealedBody })).toBe('text');
    expect(() => new SealedBodies(sealer, [newSealingKey()]).open({ ...own, sealedBody })).toThrow(
      'DATA_KEYS',
    );
  });
});
