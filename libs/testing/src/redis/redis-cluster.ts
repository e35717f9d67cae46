import { freePort, tryPort } from '@gangan/embedded-postgres';
import { startRedis, type TestRedis } from './redis.js';
import { until } from '../until.js';

const slots = 16_384;
/** Each node has one contiguous range, as every connection reads the list of ranges. */
const firstSlot = (node: number): number => Math.floor((slots * node) / 3);

/** Three masters without replicas. */
export async function startRedisCluster() {
  const nodes: TestRedis[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (let index = 0; index < 3; index += 1) nodes.push(await startNode());
    await join(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis-cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, nodes, stop };
}

async function startNode(): Promise<TestRedis> {
  const port = await portWithBus();
  return startRedis({ port, settings: { 'cluster-enabled': 'yes', 'cluster-node-timeout': '2000' } });
}

/** The nodes talk to each other on the port plus 10,000. */
async function portWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port + 10_000 < 65_536 && (await tryPort(port + 10_000)) !== undefined) return port;
  }
}

async function join(nodes: readonly TestRedis[]): Promise<void> {
  for (const [index, node] of nodes.entries()) {
    await node.command(`CLUSTER SET-CONFIG-EPOCH ${index + 1}`);
    await node.command(`CLUSTER ADDSLOTSRANGE ${firstSlot(index)} ${firstSlot(index + 1) - 1}`);
    for (const other of nodes.slice(0, index)) await node.command(`CLUSTER MEET 127.0.0.1 ${other.port}`);
  }
  for (const node of nodes) {
    await until('the cluster is whole', async () => {
      const info = await node.command('CLUSTER INFO');
      return ['cluster_slots_ok:16384', 'cluster_known_nodes:3', 'cluster_state:ok'].every((line) =>
        info.includes(line),
      );
    });
  }
}
