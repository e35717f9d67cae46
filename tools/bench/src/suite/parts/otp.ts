import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { newQueueKey } from '@gangan/queue';
import { BenchEnvironment } from '../../environment/bench-environment.js';
import { createCustomer } from '../../environment/customers.js';
import { postRequest } from '../../load/exchange.js';
import type { LoadResult, LoadTask } from '../../load/run-load.js';
import { digestToken } from '../../otp/digest.js';
import { benchScript } from '../../scripts.js';
import type { Part } from '../scenario.js';

const connections = 64;
const token = '73519604';
/** More than any server verifies. */
const maxPerSecond = 8_000;

const [system, direct] = ['the system', 'direct SQL'];

/** A gateway and an OTP worker, and the direct server on the same database. Each stored OTP is verified once. */
export const otp: Part = {
  title: 'OTPs',
  needs: ['redis'],
  open: async (resources) => {
    const environment = await BenchEnvironment.start('redis', resources);
    const { database, databaseUrl } = environment;
    const { organisationId, key } = await createCustomer(environment, {
      mode: 'live',
      scopes: ['otp:write'],
    });
    const pepper = newQueueKey();
    const env = { OTP_PEPPER: pepper };
    const args = [databaseUrl, organisationId, pepper];
    const [gateway, directServer, generator] = await Promise.all([
      environment.app('gateway', { env }),
      environment.fork(benchScript('otp/direct-server'), { args }),
      environment.fork(benchScript('load/load-process')),
      environment.app('otp', { env }),
    ]);
    const fill = async (count: number): Promise<readonly string[]> => {
      const ids = Array.from({ length: count }, () => newId());
      const digests = ids.map((id) => digestToken(pepper, organisationId, id, token).toString('hex'));
      await database.execute(sql`
        INSERT INTO otp (id, organisation_id, recipient, recipient_given, channel, hmac, max_attempts, expires_at,
          charge_kobo, request_id)
        SELECT id, ${organisationId}::uuid, '+234803' || lpad(n::text, 7, '0'), '0803' || lpad(n::text, 7, '0'), 'sms',
          decode(digest, 'hex'), 5, now() + interval '15 minutes', 0, 'bench'
        FROM unnest(${ids}::uuid[], ${digests}::text[]) WITH ORDINALITY AS given (id, digest, n)`);
      return ids;
    };
    return {
      measure: async (point, { seconds }) => {
        const ids = await fill(maxPerSecond * seconds);
        const { port } = point === system ? gateway : directServer;
        const requests = ids.map((id) => postRequest('/otp/verify', key, { id, token }));
        const task: LoadTask = { ports: [port], connections, seconds, requests };
        const { succeeded: handled, perSecond } = await generator.ask<LoadResult>(task);
        const left = await database.execute(sql`DELETE FROM otp WHERE status = 1`);
        if (handled + left !== ids.length)
          throw new Error(`${handled} OTPs were verified, but ${ids.length - left} are stored as verified`);
        return { handled, requests: perSecond };
      },
    };
  },
  scenarios: [
    {
      name: 'otp-verify',
      title: 'POST /otp/verify, 64 connections',
      figure: 'requests',
      unit: 'req/s',
      of: system,
      beside: direct,
      bar: { atLeast: 1 },
      limit: 'processor time of gateway and worker; direct SQL has no keys, limits or guards',
    },
  ],
};
