import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Post, Redirect } from '@nestjs/common';
import { Public, Scope } from '../../src/http/routes/access.js';
import { requestModules } from '../support/request-modules.js';
import { expectError } from '../support/error-shape.js';
import { until } from '@gangan/testing';
import { GatewayFixture } from '../support/gateway-fixture.js';

@Controller()
class UndeclaredController {
  @Get('forgotten')
  forgotten(): object {
    return {};
  }
}

@Controller()
class LargeController {
  @Post('large')
  @Scope('sms:write', { bodyLimit: 1_048_576 })
  large(): object {
    return {};
  }

  @Get('moved')
  @Public()
  @Redirect('https://example.com/', 302)
  moved(): void {
    return;
  }

  @Get('broken')
  @Public()
  broken(): never {
    throw new Error('password is hunter2');
  }
}

@Module({ imports: requestModules, controllers: [UndeclaredController] })
class UndeclaredModule {}

@Module({ imports: requestModules, controllers: [LargeController] })
class LargeModule {}

describe('routes', () => {
  let fixture: GatewayFixture;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
  });
  afterAll(() => fixture.stop());

  it('that declare no access prevent the start of the gateway', async () => {
    await expect(fixture.gateway({ module: UndeclaredModule })).rejects.toThrow(
      'GET /forgotten declares neither @Scope nor @Public',
    );
  });

  it('may accept more than 64 KiB, up to their own limit', async () => {
    const gateway = await fixture.gateway({ module: LargeModule });
    const { key } = await fixture.issueKey({ scopes: ['sms:write'] });
    const send = (size: number) =>
      gateway.call({
        method: 'POST',
        path: '/large',
        headers: [
          ['authorization', key],
          ['content-type', 'application/json'],
        ],
        body: `{}${' '.repeat(size - 2)}`,
      });
    expect(await send(1_048_576)).toMatchObject({ status: 200 });
    expectError(await send(1_048_577), 413);
  });

  it('may redirect', async () => {
    const gateway = await fixture.gateway({ module: LargeModule });
    expect(await gateway.call({ path: '/moved' })).toMatchObject({
      status: 302,
      headers: { location: 'https://example.com/' },
    });
  });

  it.each(['/sms/send', '/otp/request_token', '/otp/verify', '/airtime/buy'])(
    'that only take POST answer 405 to GET %s, not 404 about an id',
    async (path) => {
      const gateway = await fixture.gateway();
      const answer = await gateway.call({ path });
      expectError(answer, 405);
      expect(answer.headers['allow']).toBe('POST');
    },
  );

  it('that fail return only the request id, which is logged', async () => {
    const gateway = await fixture.gateway({ module: LargeModule });
    const answer = await gateway.call({ path: '/broken', headers: [['x-request-id', 'mine']] });
    expectError(answer, 500);
    expect(answer.text).toContain('mine');
    expect(answer.text).not.toContain('hunter2');
    expect(gateway.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        requestId: 'mine',
        err: expect.objectContaining({ message: 'password is hunter2' }),
      }),
    );
  });

  it('that are public are in the access log; healthy health checks only at debug level', async () => {
    const gateway = await fixture.gateway();
    const levelOf = async (path: string) => {
      const { headers } = await gateway.call({ path });
      await until('the request is logged', () => gateway.log.requests(headers['x-request-id']).length > 0);
      return gateway.log.requests(headers['x-request-id']).map(({ level, status }) => [level, status]);
    };
    expect(await levelOf('/openapi.json')).toEqual([['info', 200]]);
    expect(await levelOf('/healthz')).toEqual([['debug', 200]]);
    expect(await levelOf('/readyz')).toEqual([['warn', 503]]);
  });

  it('for health are public and return the error body if unhealthy', async () => {
    const gateway = await fixture.gateway();
    expect(await gateway.call({ path: '/healthz' })).toMatchObject({ status: 200, json: { healthy: true } });
    expect(expectError(await gateway.call({ path: '/readyz' }), 503)).toEqual(['process unavailable']);
    gateway.health.started({ database: fixture.database, queues: { ping: () => Promise.resolve() } });
    expect(await gateway.call({ path: '/readyz' })).toMatchObject({ status: 200, json: { healthy: true } });
    gateway.health.stopping();
    expectError(await gateway.call({ path: '/readyz' }), 503);
  });
});
