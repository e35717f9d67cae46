import { once } from 'node:events';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { resolveLink } from '@gangan/contracts';
import { Handles } from '@gangan/queue';
import { freePort, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { certificate, DocumentedProxy, serverName } from '../support/documented-proxies.js';
import { GatewayFixture } from '../support/gateway-fixture.js';
import { describeBehind, type ProxyName } from '../support/proxy.js';
import type { RunningGateway } from '../support/running-gateway.js';

const code = 'Jq0b6hWZ6r0T3T3lqk4bGw';
const token = 'c2VjcmV0LXRva2VuLW9mLWEtcHJvdmlkZXI';
const phone = '8031234567';
/** Of lower-case letters only, as the words of a path. */
const [plainCode, plainToken, query] = ['abcdefghijklmnopqrstuv', 'tokenofaprovider', 'hunter'];
const secrets = new RegExp([code, token, phone, plainCode, plainToken, query].join('|'));

const logged: Readonly<Record<string, string>> = {
  '/healthz': '/healthz',
  '/docs/guides/opt-outs': '/docs/guides/opt-outs',
  [`/l/${code}`]: '/l/*',
  [`/l/${plainCode}?${query}`]: '/l/*',
  [`/%6C/${plainCode}`]: '/l/*',
  [`//l//${plainCode}`]: '/l/*',
  [`/in/termii/${token}`]: '/in/*',
  [`/in/termii/${plainToken}?sender=${phone}`]: '/in/*',
  [`/%69n/${plainToken}`]: '/in/*',
  [`/lookup/phone?phone=0${phone}`]: '/lookup/phone',
  [`/lookup/phone/0${phone}`]: '/lookup/phone/*',
  [`/lookup/phone/%2B234${phone}`]: '/lookup/phone/*',
  [`/otp/get-by-recipient?recipient=0${phone}`]: '/otp/get-by-recipient',
  [`/sms?external_ref=${query}`]: '/sms',
  '/sms/019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42': '/sms/*',
};

/** Replaces the messaging worker, which knows no link. */
@Controller()
class LinksDouble {
  @Handles(resolveLink)
  resolve(): object {
    return {};
  }
}

for (const name of ['nginx', 'haproxy'] as const satisfies readonly ProxyName[]) {
  describeBehind(name, () => {
    let fixture: GatewayFixture;
    let gateway: RunningGateway;
    let proxy: DocumentedProxy;
    let proxyAlone: DocumentedProxy;
    beforeAll(async () => {
      fixture = await GatewayFixture.create();
      await fixture.answer(LinksDouble);
      gateway = await fixture.gateway();
      gateway.health.started({ database: fixture.database, queues: { ping: () => Promise.resolve() } });
      proxy = await DocumentedProxy[name](gateway.port);
      proxyAlone = await DocumentedProxy[name](await freePort());
    });
    afterAll(async () => {
      await proxy.stop();
      await proxyAlone.stop();
      await fixture.stop();
    });

    /** Of a request with a `length`, only the head is sent. */
    async function statusOf(
      { http, https }: DocumentedProxy,
      path: string,
      { length = 0, plain = name === 'haproxy' } = {},
    ): Promise<number | undefined> {
      const send = plain ? plainRequest : tlsRequest;
      const sent = send({
        ...{ host: '127.0.0.1', port: plain ? http : https, agent: false },
        ...{ servername: serverName, ca: certificate.cert },
        ...{ path, method: length > 0 ? 'POST' : 'GET' },
        headers: { host: serverName, referer: `https://x.example/?${query}`, 'content-length': length },
      });
      if (length > 0) sent.flushHeaders();
      else sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      sent.on('error', () => undefined).destroy();
      expect(response.headers['x-content-type-options']).toBe('nosniff');
      return response.statusCode;
    }
    /** The method, path and status of each request. */
    const requestsOf = (asked: DocumentedProxy): string[] =>
      [...asked.logs().matchAll(/\] ((?:GET|POST) \S+ \d+) /g)].map(([, request = '']) => request);

    it('is logged without tokens, link codes, phone numbers and queries', async () => {
      const expected: string[] = [];
      for (const [path, shown] of Object.entries(logged))
        expected.push(`GET ${shown} ${(await statusOf(proxy, path)) ?? 0}`);
      await until('all requests are logged', () => requestsOf(proxy).length >= expected.length);
      expect(requestsOf(proxy)).toEqual(expected);
      expect(expected).toEqual(expect.arrayContaining(['GET /healthz 200', 'GET /l/* 404', 'GET /sms 401']));
      expect(secrets.exec(proxy.logs())).toBeNull();
    });

    it('is logged with the request id of the gateway', async () => {
      await statusOf(proxy, '/balance');
      const id = () => /GET \/balance 401 .*request=(\S+)/.exec(proxy.logs())?.[1];
      await until('the proxy and the gateway have logged it', () => gateway.log.requests(id()).length > 0);
    });

    it('is logged in the same way if the proxy responds itself', async () => {
      const expected: string[] = [];
      for (const [path, shown] of Object.entries(logged)) {
        expect(await statusOf(proxyAlone, path)).toBe(503);
        expected.push(`GET ${shown} 503`);
        if (name === 'haproxy') continue;
        expect(await statusOf(proxyAlone, path, { plain: true })).toBe(301);
        expect(await statusOf(proxyAlone, path, { length: 2 ** 22 })).toBe(413);
        expected.push(`GET ${shown} 301`, `POST ${shown} 413`);
      }
      await until('all requests are logged', () => requestsOf(proxyAlone).length >= expected.length);
      expect(requestsOf(proxyAlone)).toEqual(expected);
      expect(secrets.exec(proxyAlone.logs())).toBeNull();
    });
  });
}
