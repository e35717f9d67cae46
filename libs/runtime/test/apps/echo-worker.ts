import { setTimeout as pause } from 'node:timers/promises';
import { Handles } from '@gangan/queue';
import { Controller, Module } from '@nestjs/common';
import { AppLogger, defineConfig, runWorker, str } from '@gangan/runtime';
import { echo, type EchoReply, type EchoRequest } from '../support/contracts.js';

class EchoConfig extends defineConfig({
  ECHO_PREFIX: str({ default: '', desc: 'Said before every answer' }),
}) {}

@Controller()
class EchoHandler {
  constructor(
    private readonly logger: AppLogger,
    private readonly config: EchoConfig,
  ) {}

  @Handles(echo)
  async say({ text, afterMs }: EchoRequest): Promise<EchoReply> {
    this.logger.info({ token: text, recipient: '+2348031234567' }, 'begun');
    await pause(afterMs);
    if (text === 'crash')
      setImmediate(() => {
        throw new Error('uncaught');
      });
    return { text: this.config.ECHO_PREFIX + text };
  }
}

@Module({ controllers: [EchoHandler] })
class EchoModule {}

await runWorker({
  name: 'echo',
  module: EchoModule,
  config: EchoConfig,
  contracts: [echo],
  usesModels: true,
});
