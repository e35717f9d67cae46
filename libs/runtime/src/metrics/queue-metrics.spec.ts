import type { LaneDepth } from '@gangan/queue';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { measureDepth, observeQueue } from './queue-metrics.js';

describe('the metrics of the queue', () => {
  it('count what the transport reports', async () => {
    const registry = new Registry();
    const observer = observeQueue(registry);
    observer.batchSent('lookup', 12);
    observer.jobStarted('lookup', 12, 0.004);
    observer.handled('lookup.phone', 'ok', 0.02);
    observer.replied('lookup.phone', 'timeout', 5);
    observer.parked('lookup');
    const text = await registry.metrics();
    expect(text).toContain('gangan_queue_batch_sent_size_sum{lane="lookup"} 12');
    expect(text).toContain('gangan_queue_batch_received_size_bucket{le="16",lane="lookup"} 1');
    expect(text).toContain('gangan_queue_wait_seconds_sum{lane="lookup"} 0.004');
    expect(text).toContain('gangan_queue_handler_seconds_sum{contract="lookup.phone",outcome="ok"} 0.02');
    expect(text).toContain('gangan_queue_reply_seconds_count{contract="lookup.phone",outcome="timeout"} 1');
    expect(text).toContain('gangan_queue_parked_total{lane="lookup"} 1');
  });

  it('query the broker once for many series and many scrapes', async () => {
    const registry = new Registry();
    let asked = 0;
    const lane: LaneDepth = { lane: 'otp', waiting: 7, active: 2, delayed: 1, failed: 3, oldestSeconds: 1.5 };
    measureDepth(registry, () => {
      asked += 1;
      return Promise.resolve([lane]);
    });
    const [text] = await Promise.all([registry.metrics(), registry.metrics()]);
    expect(text).toContain('gangan_queue_depth{lane="otp",state="waiting"} 7');
    expect(text).toContain('gangan_queue_depth{lane="otp",state="failed"} 3');
    expect(text).toContain('gangan_queue_oldest_job_age_seconds{lane="otp"} 1.5');
    expect(text).toContain('gangan_queue_up 1');
    expect(asked).toBe(1);
  });

  it('have no depth while the broker is unavailable, and are served without it', async () => {
    const registry = new Registry();
    measureDepth(registry, () => new Promise(() => undefined));
    const text = await registry.metrics();
    expect(text).toContain('gangan_queue_up 0');
    expect(text).not.toContain('gangan_queue_depth{');
  });
});
