import { BooleanField, TextMapField } from '@gangan/contracts';
import { AppError, type FieldError } from '@gangan/protocol';
import { Health, type HealthReport } from '@gangan/runtime';
import { Controller, Get, HttpStatus, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isBrowser, linksToDocs, pathToRoot, sendPage } from '../http/pages/html-page.js';
import { Public } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

class HealthyAnswer implements HealthReport {
  @BooleanField('Always true: an unhealthy process responds 503', true)
  healthy: boolean;

  @TextMapField('The checks', { process: 'ok', database: 'ok', queue: 'ok' })
  checks: HealthReport['checks'];
}

@Controller()
@ApiTag('Health', 'For load balancers and orchestrators')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('healthz')
  @Public()
  @ApiOperation(HealthyAnswer, {
    summary: 'Check whether the gateway is alive',
    description: 'Responds 503 if the process should be restarted.',
  })
  live(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendReport(request, reply, this.health.live());
  }

  @Get('readyz')
  @Public()
  @ApiOperation(HealthyAnswer, {
    summary: 'Check whether the gateway can serve requests',
    description:
      'Responds 503 while the gateway starts or stops, and while the database or the queue is unavailable.',
  })
  async ready(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendReport(request, reply, await this.health.ready());
  }
}

/** Sends the report as JSON, or as a page to a browser. */
function sendReport(request: FastifyRequest, reply: FastifyReply, report: HealthReport): void {
  requireHealthy(report);
  if (!isBrowser(request)) void reply.send(report);
  else
    sendPage(reply, {
      status: HttpStatus.OK,
      title: 'Healthy',
      body: listOf(report) + linksToDocs(pathToRoot(request)),
    });
}

const listOf = ({ checks }: HealthReport): string =>
  `<ul>${Object.entries(checks)
    .map(([name, state]) => `<li>${name.replaceAll('_', ' ')}: ${state}</li>`)
    .join('')}</ul>`;

/** @throws AppError 503 if a check failed */
function requireHealthy(report: HealthReport): void {
  if (report.healthy) return;
  const fields = Object.entries(report.checks)
    .filter(([, state]) => state !== 'ok')
    .map(([field, message]): FieldError => ({ field, message, type: 'unavailable' }));
  throw new AppError('unhealthy', 503, 'This process cannot serve requests now', { fields, retryAfter: 1 });
}
