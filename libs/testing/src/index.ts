export { type Answer, ask, type Question } from './ask.js';
export { freePort, isAlive } from '@gangan/embedded-postgres';
export { startPostgres, type TestPostgres } from './postgres.js';
export { type RedisOptions, startRedis, type TestRedis } from './redis.js';
export { describeWithRedis, redisAvailable } from './redis-available.js';
export { startRedisCluster, type TestRedisCluster } from './redis-cluster.js';
export type { StartCommand } from './start-command.js';
export { until } from './until.js';
export { untilGone, World } from './world.js';
